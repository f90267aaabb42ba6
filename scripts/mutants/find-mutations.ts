import { stripTypeScriptTypes } from 'node:module';
import { type AnyNode, parse } from 'acorn';

/** One changed expression of a source file: the text from `start` until before `end` becomes `replacement`. */
export interface Mutation {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** What each operator is exchanged for: a neighbour that a careless hand could have written. */
const operators: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '+=': '-=',
  '-=': '+=',
  '??=': '=',
  '||=': '=',
};

/**
 * Finds every mutation of a TypeScript file, in the order of its text. Types are left out; positions are those of the
 * source, because the runtime replaces types by blanks. Leaves out what only changes the words of a log line or of an
 * error, and what another mutation does already.
 */
export function findMutations(source: string): readonly Mutation[] {
  const code = stripTypeScriptTypes(source);
  const mutations: Mutation[] = [];
  walk(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }), (node) =>
    mutations.push(...mutationsOf(node, code)),
  );
  return mutations.sort((one, other) => one.start - other.start);
}

function mutationsOf(node: AnyNode, code: string): readonly Mutation[] {
  const { start, end } = node;
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'AssignmentExpression':
      return exchangeOperator(node.left.end, node.right.start, node.operator, code);
    case 'Literal':
      return literal(node.value, start, end);
    case 'IfStatement':
    case 'ConditionalExpression': {
      if (isChangedByItself(node.test)) return [];
      const test = code.slice(node.test.start, node.test.end);
      return [{ start: node.test.start, end: node.test.end, replacement: `!(${test})` }];
    }
    case 'UnaryExpression':
      return node.operator === '!' ? [{ start, end: node.argument.start, replacement: '' }] : [];
    case 'ExpressionStatement':
      // A call whose result nobody reads is made for what it does.
      return node.expression.type === 'CallExpression' || node.expression.type === 'AwaitExpression'
        ? [{ start, end, replacement: ';' }]
        : [];
    case 'ReturnStatement':
      return node.argument && !isUndefined(node.argument)
        ? [{ start, end, replacement: 'return undefined;' }]
        : [];
    case 'ThrowStatement':
      return [{ start, end, replacement: ';' }];
    default:
      return [];
  }
}

/** A condition whose own mutation is its opposite. */
function isChangedByItself(test: AnyNode): boolean {
  if (test.type === 'BinaryExpression') return test.operator === '===' || test.operator === '!==';
  return test.type === 'UnaryExpression' && test.operator === '!';
}

function isUndefined(node: AnyNode): boolean {
  return node.type === 'Identifier' && node.name === 'undefined';
}

/** Code that only makes words for people: a call of a log, or the text of an error that is thrown. */
function isWords(node: AnyNode, inThrow: boolean): boolean {
  if (inThrow && node.type === 'TemplateLiteral') return true;
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return false;
  const { object } = node.callee;
  const name = object.type === 'MemberExpression' ? object.property : object;
  return (name.type === 'Identifier' || name.type === 'PrivateIdentifier') && /^log(ger)?$/.test(name.name);
}

function literal(value: unknown, start: number, end: number): readonly Mutation[] {
  if (typeof value === 'boolean') return [{ start, end, replacement: String(!value) }];
  if (typeof value === 'number') return [{ start, end, replacement: String(value + 1) }];
  if (typeof value === 'bigint') return [{ start, end, replacement: `${value + 1n}n` }];
  return [];
}

function exchangeOperator(from: number, to: number, operator: string, code: string): readonly Mutation[] {
  const replacement = operators[operator];
  const place = code.slice(from, to).indexOf(operator);
  if (replacement === undefined || place === -1) return [];
  const start = from + place;
  return [{ start, end: start + operator.length, replacement }];
}

function walk(node: AnyNode, visit: (node: AnyNode) => void, inThrow = false): void {
  const words = node.type === 'ExpressionStatement' ? node.expression : node;
  if (isWords(words, inThrow)) return;
  visit(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) walk(child, visit, inThrow || node.type === 'ThrowStatement');
    }
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
