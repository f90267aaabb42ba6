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
 * Finds every mutation of a TypeScript file, in the order of its text. Types are no part of it: positions stay those
 * of the source, because the runtime replaces types by blanks.
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
      return node.argument ? [{ start, end, replacement: 'return undefined;' }] : [];
    case 'ThrowStatement':
      return [{ start, end, replacement: ';' }];
    default:
      return [];
  }
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

function walk(node: AnyNode, visit: (node: AnyNode) => void): void {
  visit(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, visit);
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
