/**
 * The grammar of vfl for tree-sitter. It follows the grammar in docs/language.md statement by statement; the tests compare its trees of expressions with
 * those of the compiler. Where the compiler refuses what parses, as a < b < c, an editor's tree may have a node: the language server gives the message.
 */

// The levels of precedence, loosest first, of lang/ast/precedence.go.
const level = { or: 1, and: 2, equality: 3, order: 4, range: 5, sum: 6, product: 7, interaction: 8 };

const binary = [
  [level.or, ['||']],
  [level.and, ['&&']],
  [level.equality, ['==', '!=']],
  [level.order, ['<', '<=', '>', '>=']],
  [level.range, ['..']],
  [level.sum, ['+', '-']],
  [level.product, ['*', '/', '.*', './']],
];

// Those of a formula, in the arguments of glm.
const ofFormula = [[level.or, ['|', '~']], ...binary, [level.interaction, [':']]];

// Words that begin a statement where a name follows, and are names elsewhere.
const contextual = ['weight', 'module', 'dist', 'levels', 'program', 'aux', 'receive', 'send'];

const oneOf = (words) => (words.length > 1 ? choice(...words) : words[0]);
const list = (rule) => seq(rule, repeat(seq(',', rule)));
const inParens = (rule) => seq('(', list(rule), ')');
const typed = ($) => seq(':', field('type', $.type));
const owned = ($) => seq('@', field('owner', $.party));
const drawn = ($) => seq('~', field('distribution', $.distribution));
const defined = ($) => seq('=', field('value', $._value));
const indexed = ($, of) => seq(field('of', of), '[', list($._subscript), ']');
const transposed = (_, of) => seq(of, "'");
const raised = ($, left) => seq(field('left', left), field('operator', '^'), field('right', $._operand));
const joined = ($, left, right, loosest, levels = binary) =>
  choice(
    ...levels
      .filter(([at]) => at >= loosest)
      .map(([at, operators]) =>
        prec.left(at, seq(field('left', left), field('operator', oneOf(operators)), field('right', right))),
      ),
  );
const digits = /[0-9]+(_[0-9]+)*/;
const word = /[\p{L}_][\p{L}_0-9]*/;

module.exports = grammar({
  name: 'vfl',

  word: ($) => $.identifier,

  extras: ($) => [/[ \t\r\n\uFEFF]/, $.comment],

  // The words that the compiler reserves. A statement that is being typed does not take the keyword of the next one for a name.
  reserved: {
    global: (_) => [
      'server', 'client', 'data', 'param', 'let', 'const', 'fn', 'import', 'transform', 'factor', 'generate', 'contribution', 'return', 'shared', 'for',
      'in', 'from', 'missing', 'init', 'truncate', 'censor', 'noncentered', 'weights',
    ],
  },

  supertypes: ($) => [$._statement, $._expression],

  rules: {
    source_file: ($) => seq(repeat(';'), repeat(seq($._statement, repeat(';')))),

    _statement: ($) =>
      choice(
        $.server_statement,
        $.client_statement,
        $.data_statement,
        $.param_statement,
        $.weight_statement,
        $.contribution_statement,
        $.module_statement,
        $.let_statement,
        $.generate_statement,
        $.const_statement,
        $.fn_statement,
        $.dist_statement,
        $.import_statement,
        $.levels_statement,
        $.factor_statement,
        $.transform_statement,
        $.program_statement,
        $.aux_statement,
        $.receive_statement,
        $.send_statement,
        $.likelihood,
        $.definition,
      ),

    server_statement: ($) => seq('server', field('name', $.identifier)),
    client_statement: ($) => seq('client', list($.family)),
    family: ($) => seq(field('name', $.identifier), optional(seq('[', field('count', $._expression), ']'))),

    data_statement: ($) =>
      seq('data', field('name', $.identifier), typed($), optional(owned($)), optional($.columns), optional($.missing)),
    columns: ($) => seq('from', list(choice($.identifier, $.encoder, $.string, '*'))),
    encoder: ($) => seq(field('name', $.identifier), inParens($.encoder_argument)),
    encoder_argument: ($) => choice(seq(field('name', $.identifier), '=', $._cell), $._cell, '*'),
    _cell: ($) => choice($.identifier, $.string, $.number, alias($.negative, $.unary)),
    negative: ($) => seq('-', $.number),
    missing: ($) => seq('missing', field('policy', $.identifier), optional(drawn($))),

    param_statement: ($) =>
      seq(
        'param',
        field('name', $.identifier),
        optional(typed($)),
        drawn($),
        optional($.truncate),
        optional('noncentered'),
        optional(owned($)),
      ),
    weight_statement: ($) =>
      seq(
        'weight',
        field('name', $.identifier),
        optional(typed($)),
        optional(seq('init', field('init', $.identifier))),
        optional(owned($)),
      ),
    contribution_statement: ($) => seq('contribution', field('name', $.identifier), typed($), optional(owned($))),
    module_statement: ($) =>
      seq('module', field('client', $.identifier), 'implements', field('model', $.identifier)),
    let_statement: ($) => seq('let', field('name', $.identifier), optional(typed($)), defined($), optional(owned($))),
    generate_statement: ($) =>
      seq(
        'generate',
        field('name', $.identifier),
        optional(typed($)),
        choice(defined($), seq(drawn($), optional($.truncate))),
        optional(owned($)),
      ),
    const_statement: ($) => seq('const', field('name', $.identifier), defined($)),

    fn_statement: ($) =>
      seq(
        'fn',
        field('name', $.identifier),
        '(',
        optional(list(choice($.argument_name, $.array_pattern))),
        ')',
        choice(field('body', $.block), defined($)),
      ),
    argument_name: ($) => $.identifier,
    array_pattern: ($) => seq('[', list($.argument_name), ']'),
    block: ($) =>
      seq(
        '{',
        repeat(';'),
        repeat(seq(choice($.let_statement, $.param_statement, $.weight_statement), repeat(';'))),
        'return',
        field('value', $._value),
        repeat(';'),
        '}',
      ),

    dist_statement: ($) =>
      seq(
        'dist',
        field('name', $.identifier),
        '(',
        $.typed_argument,
        optional(seq('|', list($.typed_argument))),
        ')',
        choice(field('body', $.parts), defined($)),
      ),
    typed_argument: ($) => seq(field('name', $.identifier), optional(typed($))),
    parts: ($) =>
      seq(
        '{',
        repeat(';'),
        repeat(seq(choice($.let_statement, $.generate_statement, $.definition), repeat(';'))),
        '}',
      ),

    import_statement: ($) => seq('import', choice(field('module', $.identifier), field('path', $.string))),
    levels_statement: ($) =>
      seq('levels', field('name', $.identifier), '=', list(choice($.string, $.number))),
    factor_statement: ($) => seq('factor', $._value),

    transform_statement: ($) => seq('transform', field('kind', $.identifier), optional(inParens($.setting))),
    setting: ($) => seq(field('name', $.identifier), '=', choice($._value, $.by_client)),
    by_client: ($) => seq('{', list(seq(field('client', $.identifier), ':', $._value)), '}'),

    program_statement: ($) => seq('program', field('name', $.identifier), 'for', field('party', $.party)),
    aux_statement: ($) => seq('aux', field('name', $.identifier), typed($), drawn($)),
    receive_statement: ($) =>
      seq('receive', field('name', $.identifier), typed($), 'from', field('from', $.party)),
    send_statement: ($) =>
      seq('send', field('name', $.identifier), optional(defined($)), 'to', list(field('to', $.party))),

    likelihood: ($) =>
      seq(
        field('left', $._left),
        drawn($),
        optional($.truncate),
        optional($.censor),
        optional($.weights),
        optional(seq($._power_of_likelihood, field('power', $._value), ')')),
      ),
    // The left side begins with a name: else a bracket or a minus below a statement could begin the next one.
    _left: ($) => choice($._left_term, alias($.left_power, $.power), alias($.left_binary, $.binary)),
    _left_term: ($) => choice($.name, $.call, alias($.left_index, $.index), alias($.left_transpose, $.transpose)),
    left_index: ($) => indexed($, $._left_term),
    left_transpose: ($) => transposed($, $._left_term),
    left_power: ($) => raised($, $._left_term),
    left_binary: ($) => joined($, $._left, $._expression, level.or),
    truncate: ($) => seq('truncate', inParens($.argument)),
    censor: ($) => seq('censor', inParens($.argument)),
    weights: ($) => seq('weights', $._expression),
    // `^ (` behind weights is the power of the likelihood: there this token is longer than `^`.
    _power_of_likelihood: (_) => token(seq('^', /[ \t\r\n]*/, '(')),

    // In the module of a client, and in the declaration of a distribution.
    definition: ($) => seq(field('name', $.identifier), defined($)),

    distribution: ($) =>
      choice(
        seq(field('name', alias($.identifier, $.distribution_name)), '(', optional(list($.argument)), ')'),
        seq(field('name', alias('glm', $.distribution_name)), inParens(alias($.formula_argument, $.argument))),
      ),
    formula_argument: ($) => seq(optional(seq(field('name', $.identifier), '=')), $._formula),
    _formula: ($) => choice($._formula_term, alias($.formula_unary, $.unary), alias($.formula_binary, $.binary)),
    _formula_term: ($) =>
      choice(
        $.number,
        $.name,
        $.call,
        alias($.formula_parenthesized, $.parenthesized),
        alias($.formula_array, $.array),
        alias($.formula_power, $.power),
      ),
    formula_parenthesized: ($) => seq('(', $._formula, ')'),
    formula_array: ($) => seq('[', list($._formula), ']'),
    formula_power: ($) => seq(field('left', $._formula_term), field('operator', '^'), field('right', $.number)),
    formula_unary: ($) => prec(level.interaction + 1, seq(field('operator', choice('-', '+')), $._formula)),
    formula_binary: ($) => joined($, $._formula, $._formula, level.or, ofFormula),
    argument: ($) => seq(optional(seq(field('name', $.identifier), '=')), $._value),

    type: ($) =>
      seq(
        field('name', alias($.identifier, $.type_name)),
        optional(inParens($._value)),
        optional(seq('<', list($.bound), '>')),
        optional(field('shape', $.shape)),
      ),
    bound: ($) => seq(field('name', $.identifier), '=', field('value', $._sized)),
    // Without comparison, so that `>` closes the bounds.
    _sized: ($) => choice($._operand, alias($.sized_binary, $.binary)),
    sized_binary: ($) => joined($, $._sized, $._sized, level.sum),
    shape: ($) => seq('[', list($._value), ']'),

    party: ($) => choice($.identifier, alias(choice('server', 'shared'), $.identifier)),

    _value: ($) => choice($._expression, $.recursion),

    _expression: ($) => choice($._operand, $.binary),
    _operand: ($) => choice($._term, $.unary, $.power),
    _term: ($) =>
      choice(
        $.number,
        $.string,
        $.name,
        $.call,
        $.parenthesized,
        $.array,
        $.comprehension,
        $.index,
        $.transpose,
      ),

    name: ($) => choice($.identifier, alias(choice(...contextual, 'recur', 'ode'), $.identifier)),
    call: ($) =>
      seq(
        field('function', $.name),
        '(',
        optional(
          choice(
            seq($._expression, optional(seq('|', $._expression)), repeat(seq(',', choice($._expression, $.named_argument)))),
            seq($._expression, $._each),
            seq($._expression, 'by', list($._expression)),
          ),
        ),
        ')',
      ),
    _each: ($) => seq('for', field('variable', $.identifier), 'in', field('over', $._expression)),
    parenthesized: ($) => seq('(', $._value, ')'),
    array: ($) => seq('[', list($._expression), ']'),
    comprehension: ($) => seq('[', $._expression, $._each, ']'),
    index: ($) => indexed($, $._term),
    _subscript: ($) => choice($._expression, $.slice),
    slice: ($) => seq(optional(field('from', $._expression)), ':', optional(field('to', $._expression))),
    transpose: ($) => transposed($, $._term),
    // A sign binds looser than `^`, whose exponent may have one.
    unary: ($) => seq(field('operator', choice('-', '+', '!')), $._operand),
    power: ($) => raised($, $._term),
    binary: ($) => joined($, $._expression, $._expression, level.or),

    // A name behind `recur` or `ode` begins its first entry.
    recursion: ($) => prec(1, choice(seq('recur', list($.entry), $._each), seq('ode', list($.entry), $._solved))),
    _solved: ($) =>
      seq(
        $._each,
        optional(seq('by', field('variable', $.identifier), 'in', field('by', $._expression))),
        optional(seq('with', '(', list($.named_argument), ')')),
      ),
    named_argument: ($) => seq(field('name', $.identifier), '=', field('value', $._expression)),
    entry: ($) =>
      seq(
        field('name', $.identifier),
        optional("'"),
        '[',
        field('index', $._expression),
        ']',
        '=',
        field('value', $._expression),
      ),

    identifier: (_) => token(seq(word, repeat(seq('.', word)))),
    number: (_) =>
      token(seq(choice(seq(digits, optional(seq('.', digits))), seq('.', digits)), optional(seq(/[eE][+-]?/, digits)))),
    string: (_) => /"([^"\\\r\n]|\\[^\r\n])*"/,
    comment: (_) => token(choice(/\/\/[^\r\n]*/, /\/\*[^*]*\*+([^/*][^*]*\*+)*\//)),
  },
});
