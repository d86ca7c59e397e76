package lsp

import "encoding/json"

// The types of the Language Server Protocol 3.17 that the server uses, with the names of its specification.
type (
	position struct {
		Line      int `json:"line"`      // from 0
		Character int `json:"character"` // from 0, in units of the encoding that initialize has settled
	}
	textRange struct {
		Start position `json:"start"`
		End   position `json:"end"`
	}
	location struct {
		URI   string    `json:"uri"`
		Range textRange `json:"range"`
	}
	textEdit struct {
		Range   textRange `json:"range"`
		NewText string    `json:"newText"`
	}
	workspaceEdit struct {
		Changes map[string][]textEdit `json:"changes"`
	}
	markup struct {
		Kind  string `json:"kind"`
		Value string `json:"value"`
	}

	textDocument struct {
		URI     string `json:"uri"`
		Version int    `json:"version"`
		Text    string `json:"text"`
	}
	// ofDocument is the parameters of a request about a document, about a place in it, or about a part of it.
	ofDocument struct {
		TextDocument textDocument `json:"textDocument"`
		Position     position     `json:"position"`
		Range        textRange    `json:"range"`
	}
	didChange struct {
		TextDocument   textDocument `json:"textDocument"`
		ContentChanges []struct {
			Range *textRange `json:"range"` // nil: the whole text
			Text  string     `json:"text"`
		} `json:"contentChanges"`
	}
	completionParams struct {
		ofDocument
		Context struct {
			TriggerCharacter string `json:"triggerCharacter"`
		} `json:"context"`
	}
	referencesParams struct {
		ofDocument
		Context struct {
			IncludeDeclaration bool `json:"includeDeclaration"`
		} `json:"context"`
	}
	renameParams struct {
		ofDocument
		NewName string `json:"newName"`
	}
	codeActionParams struct {
		ofDocument
		Context struct {
			Only []string `json:"only"`
		} `json:"context"`
	}
	executeParams struct {
		Command   string   `json:"command"`
		Arguments []string `json:"arguments"`
	}

	initializeParams struct {
		Capabilities struct {
			General struct {
				PositionEncodings []string `json:"positionEncodings"`
			} `json:"general"`
			Window struct {
				ShowDocument struct {
					Support bool `json:"support"`
				} `json:"showDocument"`
			} `json:"window"`
			Workspace struct {
				InlayHint    refreshSupport `json:"inlayHint"`
				CodeLens     refreshSupport `json:"codeLens"`
				WatchedFiles struct {
					DynamicRegistration bool `json:"dynamicRegistration"`
				} `json:"didChangeWatchedFiles"`
			} `json:"workspace"`
			TextDocument struct {
				Completion struct {
					CompletionItem struct {
						SnippetSupport bool `json:"snippetSupport"`
					} `json:"completionItem"`
				} `json:"completion"`
			} `json:"textDocument"`
		} `json:"capabilities"`
		Options struct {
			// Commands are those that the client has itself: it asks the server for their texts.
			Commands []string `json:"commands"`
		} `json:"initializationOptions"`
	}
	refreshSupport struct {
		RefreshSupport bool `json:"refreshSupport"`
	}

	diagnostic struct {
		Range    textRange       `json:"range"`
		Severity int             `json:"severity"`
		Code     string          `json:"code,omitempty"`
		About    *codeLink       `json:"codeDescription,omitempty"`
		Source   string          `json:"source"`
		Message  string          `json:"message"`
		Related  []relatedPlace  `json:"relatedInformation,omitempty"`
		Data     json.RawMessage `json:"data,omitempty"`
	}
	codeLink struct {
		Href string `json:"href"`
	}
	relatedPlace struct {
		Location location `json:"location"`
		Message  string   `json:"message"`
	}
	publishDiagnostics struct {
		URI         string       `json:"uri"`
		Version     int          `json:"version"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}

	hover struct {
		Contents markup     `json:"contents"`
		Range    *textRange `json:"range,omitempty"`
	}
	completionList struct {
		IsIncomplete bool             `json:"isIncomplete"`
		Items        []completionItem `json:"items"`
	}
	completionItem struct {
		Label         string    `json:"label"`
		Kind          int       `json:"kind"`
		Detail        string    `json:"detail,omitempty"`
		Documentation *markup   `json:"documentation,omitempty"`
		SortText      string    `json:"sortText,omitempty"`
		Format        int       `json:"insertTextFormat,omitempty"`
		TextEdit      *textEdit `json:"textEdit,omitempty"`
	}
	signatureHelp struct {
		Signatures      []signature `json:"signatures"`
		ActiveSignature int         `json:"activeSignature"`
		ActiveParameter int         `json:"activeParameter"`
	}
	signature struct {
		Label         string      `json:"label"`
		Documentation *markup     `json:"documentation,omitempty"`
		Parameters    []parameter `json:"parameters"`
	}
	parameter struct {
		Label         string  `json:"label"`
		Documentation *markup `json:"documentation,omitempty"`
	}
	documentSymbol struct {
		Name           string           `json:"name"`
		Detail         string           `json:"detail,omitempty"`
		Kind           int              `json:"kind"`
		Range          textRange        `json:"range"`
		SelectionRange textRange        `json:"selectionRange"`
		Children       []documentSymbol `json:"children,omitempty"`
	}
	foldingRange struct {
		StartLine int    `json:"startLine"`
		EndLine   int    `json:"endLine"`
		Kind      string `json:"kind,omitempty"`
	}
	documentHighlight struct {
		Range textRange `json:"range"`
		Kind  int       `json:"kind"`
	}
	semanticTokens struct {
		Data []uint32 `json:"data"`
	}
	inlayHint struct {
		Position    position `json:"position"`
		Label       string   `json:"label"`
		Tooltip     *markup  `json:"tooltip,omitempty"`
		PaddingLeft bool     `json:"paddingLeft"`
	}
	command struct {
		Title     string   `json:"title"`
		Command   string   `json:"command"`
		Arguments []string `json:"arguments,omitempty"`
	}
	codeLens struct {
		Range   textRange `json:"range"`
		Command command   `json:"command"`
	}
	codeAction struct {
		Title       string         `json:"title"`
		Kind        string         `json:"kind"`
		Diagnostics []diagnostic   `json:"diagnostics,omitempty"`
		IsPreferred bool           `json:"isPreferred,omitempty"`
		Edit        *workspaceEdit `json:"edit,omitempty"`
		Command     *command       `json:"command,omitempty"`
	}
)

// Numbers of the specification.
const (
	codeParse         = -32700
	codeMethod        = -32601
	codeInvalid       = -32600
	codeInternal      = -32603
	codeFailed        = -32803
	codeCancelled     = -32800
	codeUninitialized = -32002

	kindFunction      = 3
	kindVariable      = 6
	kindClass         = 7
	kindModule        = 9
	kindProperty      = 10
	kindKeyword       = 14
	kindSnippet       = 15
	kindEnumMember    = 20
	kindConstant      = 21
	kindTypeParameter = 25

	symbolModule   = 2
	symbolField    = 8
	symbolFunction = 12
	symbolVariable = 13
	symbolConstant = 14

	asSnippet = 2
)

func markdown(text string) *markup { return &markup{"markdown", text} }
