package graph

// opCopy copies a value, so that it can be another output.
var opCopy = &op{
	name: "copy", doc: "a copy of the value", least: 1, most: 1,
	infer: elementwise, forward: copyColumns, vjp: giveColumns,
	passes: func(int) bool { return true },
	degree: highest,
}
