"""An afternoon at a model, as an editor speaks with `vflc lsp` over its pipes.

The client of pytest-lsp reads every answer into the types of the specification, and warns where the server
does what the editor has not said it can take; the warnings are errors here.
"""

import os
import pathlib
import shutil
import subprocess
import urllib.parse

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities, make_test_lsp_client

VFLC = os.environ.get("VFLC") or shutil.which("vflc")
pytestmark = pytest.mark.skipif(VFLC is None, reason="vflc is not there: VFLC names it")

MODEL = """\
server registry
client lab
/// The outcome, 🩺 measured twice.
data y : real[N] @ shared
data x : real[N] @ lab
param β ~ normal(0, 1) @ lab
param α ~ normal(0, 1)
param σ ~ half_normal(1) @ registry
let effect=x*expit(β)
y = normal(α + effect, σ)
"""
VSCODE = client_capabilities("visual-studio-code")


def editor() -> LanguageClient:
    """A client that takes what VS Code takes: hints and lenses are asked for again, and files are watched."""
    client = make_test_lsp_client()
    for request in ["workspace/inlayHint/refresh", "workspace/codeLens/refresh", "client/registerCapability"]:
        client.feature(request)(lambda _: None)
    return client


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[VFLC or "vflc", "lsp"], client_factory=editor))
async def client(lsp_client: LanguageClient):
    await lsp_client.initialize_session(
        lsp.InitializeParams(capabilities=VSCODE, process_id=os.getpid(), root_uri=None)
    )
    yield
    await lsp_client.shutdown_session()


class Desk:
    """A file that is open in the editor."""

    def __init__(self, client, path: pathlib.Path, text: str):
        self.client, self.uri, self.version, self.text = client, path.as_uri(), 1, text
        self.path = path
        self.id = lsp.TextDocumentIdentifier(uri=self.uri)
        path.write_text(text)
        client.text_document_did_open(
            lsp.DidOpenTextDocumentParams(
                lsp.TextDocumentItem(uri=self.uri, language_id="vfl", version=1, text=text)
            )
        )

    async def diagnostics(self):
        """Waits until the server has looked at the present version."""
        seen = []
        while not seen or seen[-1].version != self.version:
            seen.append(await self.client.wait_for_notification("textDocument/publishDiagnostics"))
        return self.client.diagnostics[self.uri]

    def at(self, marked: str) -> lsp.Position:
        """The place of the bar in a part of the text, in units of UTF-16."""
        before, _ = marked.split("|")
        start = self.text.index(marked.replace("|", "")) + len(before)
        line = self.text.count("\n", 0, start)
        head = self.text[self.text.rfind("\n", 0, start) + 1 : start]
        return lsp.Position(line, len(head.encode("utf-16-le")) // 2)

    def offset(self, place: lsp.Position) -> int:
        lines = self.text.split("\n")
        head = lines[place.line].encode("utf-16-le")[: 2 * place.character].decode("utf-16-le")
        return sum(len(line) + 1 for line in lines[: place.line]) + len(head)

    def apply(self, edits):
        """Takes the edits of the server, as an editor does, and tells the server of them."""
        changes = []
        for e in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
            start, end = self.offset(e.range.start), self.offset(e.range.end)
            self.text = self.text[:start] + e.new_text + self.text[end:]
            changes.append(lsp.TextDocumentContentChangePartial(range=e.range, text=e.new_text))
        self.version += 1
        self.client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(
                lsp.VersionedTextDocumentIdentifier(uri=self.uri, version=self.version), changes
            )
        )

    def type(self, marked: str, text: str):
        place = self.at(marked)
        self.apply([lsp.TextEdit(lsp.Range(place, place), text)])


@pytest.mark.asyncio
@pytest.mark.filterwarnings("error::pytest_lsp.LspSpecificationWarning")
async def test_afternoon(client: LanguageClient, tmp_path):
    desk = Desk(client, tmp_path / "trial.vfl", MODEL)

    # Two errors, one behind the other: each is mended by its fix.
    for code, fix in [("V0118", "~"), ("V0209", "inv_logit")]:
        found = [d for d in await desk.diagnostics() if d.severity == lsp.DiagnosticSeverity.Error]
        assert [d.code for d in found] == [code]
        actions = await client.text_document_code_action_async(
            lsp.CodeActionParams(desk.id, found[0].range, lsp.CodeActionContext(diagnostics=found))
        )
        edits = actions[0].edit.changes[desk.uri]
        assert [e.new_text for e in edits] == [fix] and actions[0].is_preferred
        desk.apply(edits)
    assert not await desk.diagnostics()

    # What is a name, and what crosses? The answer to a request for hints waits until that is known.
    everything = lsp.Range(lsp.Position(0, 0), lsp.Position(1000, 0))
    assert await client.text_document_inlay_hint_async(lsp.InlayHintParams(desk.id, everything))
    hover = await client.text_document_hover_async(lsp.HoverParams(desk.id, desk.at("inv_log|it")))
    assert "inv_logit(x)" in hover.contents.value
    assert "Crosses" in hover.contents.value and "registry can compute" in hover.contents.value
    hover = await client.text_document_hover_async(lsp.HoverParams(desk.id, desk.at("|y ~")))
    assert "real[N]" in hover.contents.value and "🩺 measured twice" in hover.contents.value

    # A line is typed, with completions; while it is unfinished the names above are known.
    desk.type("σ)\n|", "generate likely ~ half")
    await desk.diagnostics()
    items = (await client.text_document_completion_async(
        lsp.CompletionParams(desk.id, desk.at("likely ~ half|"))
    )).items
    chosen = next(i for i in items if i.label == "half_normal")
    assert chosen.insert_text_format == lsp.InsertTextFormat.Snippet
    desk.apply([lsp.TextEdit(chosen.text_edit.range, "half_normal(")])
    await desk.diagnostics()
    help_ = await client.text_document_signature_help_async(
        lsp.SignatureHelpParams(desk.id, desk.at("likely ~ half_normal(|"))
    )
    assert help_.signatures[help_.active_signature].label == "half_normal(sigma)"
    items = (await client.text_document_completion_async(
        lsp.CompletionParams(desk.id, desk.at("likely ~ half_normal(|"))
    )).items
    known = {i.label: i.detail for i in items}
    assert known["σ"] == "real @ registry" and "lab" not in known
    desk.type("likely ~ half_normal(|", "σ)\n")
    assert not await desk.diagnostics()

    # A name is changed at all its places; one that is taken is refused.
    with pytest.raises(Exception, match="choose another name"):
        await client.text_document_rename_async(lsp.RenameParams(desk.id, desk.at("param |β"), "effect"))
    edit = await client.text_document_rename_async(lsp.RenameParams(desk.id, desk.at("data |x"), "dose"))
    desk.apply(edit.changes[desk.uri])
    assert "data dose : real[N] @ lab from x\n" in desk.text and "dose*inv_logit(β)" in desk.text
    assert not await desk.diagnostics()
    places = await client.text_document_references_async(
        lsp.ReferenceParams(
            context=lsp.ReferenceContext(include_declaration=True),
            text_document=desk.id,
            position=desk.at("data |dose"),
        )
    )
    assert len(places) == 2
    there = await client.text_document_definition_async(lsp.DefinitionParams(desk.id, desk.at("|dose*inv")))
    assert there.range.start == desk.at("data |dose")

    # Formatted and saved; what is saved is what the command would write.
    edits = await client.text_document_formatting_async(
        lsp.DocumentFormattingParams(desk.id, lsp.FormattingOptions(tab_size=4, insert_spaces=True))
    )
    desk.apply(edits)
    assert "let effect = dose * inv_logit(β)\n" in desk.text
    assert not await desk.diagnostics()
    desk.path.write_text(desk.text)
    client.text_document_did_save(lsp.DidSaveTextDocumentParams(desk.id))
    subprocess.run([VFLC, "fmt", "--check", str(desk.path)], check=True)

    # Hints, lens and audit.
    hints = await client.text_document_inlay_hint_async(lsp.InlayHintParams(desk.id, everything))
    labels = {(h.label, h.position.line) for h in hints}
    cut = desk.at("inv_logit(β)|")
    assert ("→ registry, N numbers, every evaluation", cut.line) in labels
    assert ("@ registry", desk.at("param |α").line) in labels
    lenses = await client.text_document_code_lens_async(lsp.CodeLensParams(desk.id))
    assert [x.command.title for x in lenses] == ["audit: lab → registry"]
    audit = await client.workspace_execute_command_async(
        lsp.ExecuteCommandParams(lenses[0].command.command, arguments=lenses[0].command.arguments)
    )
    printed = subprocess.run([VFLC, "audit", str(desk.path)], capture_output=True, text=True, check=True).stdout
    assert audit == printed and "registry can compute: lab's" in audit
    await client.text_document_code_lens_async(lsp.CodeLensParams(desk.id))  # by now the document has been shown
    shown = urllib.parse.urlparse(client.shown_documents[0].uri).path
    assert pathlib.Path(shown).read_text() == audit

    # Colours and outline; then the file is closed.
    tokens = await client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(desk.id))
    assert len(tokens.data) % 5 == 0 and len(tokens.data) > 200
    outline = await client.text_document_document_symbol_async(lsp.DocumentSymbolParams(desk.id))
    assert [s.name for s in outline] == ["registry", "lab", "y", "dose", "β", "α", "σ", "effect", "likely"]
    client.text_document_did_close(lsp.DidCloseTextDocumentParams(desk.id))
    await client.wait_for_notification("textDocument/publishDiagnostics")
    assert not client.diagnostics[desk.uri]
    assert client.error is None and client.log_messages == []
