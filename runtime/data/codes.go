package data

import "github.com/vflc/vflc/lang/diag"

// The diagnostics of data. Each has a page in lang/diag.
const (
	codeUnreadable diag.Code = "V0501" // a file cannot be opened, or its format is not supported
	codeCSV        diag.Code = "V0502" // not a CSV: ragged rows, stray quotes, not UTF-8
	codeJSON       diag.Code = "V0503" // not a Stan-JSON document
	codeEmpty      diag.Code = "V0504" // no rows or no values
	codeDuplicate  diag.Code = "V0505" // a column twice, or without a name
	codeNoColumn   diag.Code = "V0506" // a column that is not there
	codeNumber     diag.Code = "V0507" // a cell that is not a number
	codeMissing    diag.Code = "V0508" // an empty cell
	codeNonFinite  diag.Code = "V0509" // NaN or Inf
	codeWhole      diag.Code = "V0510" // a fraction where whole numbers are declared
	codeRange      diag.Code = "V0511" // outside declared bounds, or those of count and level
	codeBinary     diag.Code = "V0512" // neither 0 nor 1
	codeConstant   diag.Code = "V0513" // an encoder finds nothing that varies
	codeLog        diag.Code = "V0514" // log of a number ≤ 0
	codeCategory   diag.Code = "V0515" // a category that was not there when the encoder was fitted
	codeEncoder    diag.Code = "V0516" // an encoder that does not exist or does not fit
	codeShape      diag.Code = "V0517" // the table cannot give the declared shape
	codeStar       diag.Code = "V0518" // `*` is empty or claimed twice
	codeKey        diag.Code = "V0519" // the key column: absent, empty or repeated
	codeRows       diag.Code = "V0520" // the parties do not hold the same rows
	codeNoTable    diag.Code = "V0521" // a party without a table
	codeFlag       diag.Code = "V0522" // --data that cannot be understood
	codeSettings   diag.Code = "V0523" // vfl.toml that cannot be understood
	codeShared     diag.Code = "V0524" // shared data absent, or different at two parties
	codeSomeKeys   diag.Code = "V0525" // warning: only some tables have the key
)
