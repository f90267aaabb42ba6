import { stripTypeScriptTypes } from 'node:module';
import { type AnyNode, type Function as FunctionNode, parse } from 'acorn';

/** The JavaScript of a TypeScript module, in which every function first calls `walkedInto(place)`. */
export function instrument(path: string, source: string): string {
  const code = stripTypeScriptTypes(source);
  const insertions: { readonly at: number; readonly text: string }[] = [];
  const visit = (node: AnyNode, name: string) => {
    if (isFunction(node)) {
      const { line, column } = node.loc?.start ?? { line: 0, column: 0 };
      const call = `walkedInto(${JSON.stringify(`${path} ${line}:${column} ${nameOf(node, name)}`)})`;
      const { start, end, type } = node.body;
      if (type === 'BlockStatement') insertions.push({ at: start + 1, text: `${call};` });
      else insertions.push({ at: start, text: `(${call},` }, { at: end, text: ')' });
    }
    for (const [child, called] of childrenOf(node, name)) visit(child, called);
  };
  visit(parse(code, { ecmaVersion: 'latest', sourceType: 'module', locations: true }), '');
  // Where a function ends another may begin, so those at one place keep their order.
  const inOrder = insertions
    .map((insertion, order) => ({ ...insertion, order }))
    .sort((one, other) => one.at - other.at || one.order - other.order);
  let at = 0;
  let result = '';
  for (const insertion of inOrder) {
    result += code.slice(at, insertion.at) + insertion.text;
    at = insertion.at;
  }
  return result + code.slice(at);
}

function isFunction(node: AnyNode): node is FunctionNode & AnyNode {
  return (
    node.type === 'FunctionDeclaration' ||
    node.type === 'FunctionExpression' ||
    node.type === 'ArrowFunctionExpression'
  );
}

/** What a function is called, or what it is assigned to. */
function nameOf(node: FunctionNode, assigned: string): string {
  return node.id?.name ?? (assigned === '' ? '(unnamed)' : assigned);
}

/** The nodes within a node, each with the name it is given there. */
function childrenOf(node: AnyNode, name: string): readonly (readonly [AnyNode, string])[] {
  const given = namedBy(node);
  return Object.entries(node).flatMap(([key, value]) =>
    [value]
      .flat()
      .filter(isNode)
      .map((child) => [child, key === 'value' || key === 'init' ? (given ?? name) : ''] as const),
  );
}

function namedBy(node: AnyNode): string | undefined {
  if (node.type === 'VariableDeclarator') return node.id.type === 'Identifier' ? node.id.name : undefined;
  if (node.type !== 'MethodDefinition' && node.type !== 'Property' && node.type !== 'PropertyDefinition')
    return undefined;
  return node.key.type === 'Identifier' || node.key.type === 'PrivateIdentifier' ? node.key.name : undefined;
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
