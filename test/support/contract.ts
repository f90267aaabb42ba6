import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { checkPublished } from './published-interface.ts';

const file = join(import.meta.dirname, '../../../shared/contract/openapi.json');

/** Whether the machine-readable contract lies beside this checkout; a user's checkout has none. */
const hasContract = existsSync(file);

if (!hasContract)
  console.log('contract checks skipped: no ../shared/contract/openapi.json beside this checkout');

const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false });
if (hasContract) ajv.addSchema(JSON.parse(readFileSync(file, 'utf8')), 'contract');
/** What the document that Headgate gives of itself calls the same things. */
const publishedNames: Readonly<Record<string, string>> = {
  OpenResponsesResult: 'Response',
  BadRequestResponse: 'Error',
  UnauthorizedResponse: 'Error',
  PaymentRequiredResponse: 'Error',
  ForbiddenResponse: 'Error',
  NotFoundResponse: 'Error',
  TooManyRequestsResponse: 'Error',
  ServiceMetadata: 'ServiceMetadata',
  ModelsListResponse: 'ModelList',
  ModelResponse: 'ModelAnswer',
  ModelsCountResponse: 'ModelCount',
  GenerationResponse: 'Generation',
  CreateBYOKKeyResponse: 'ProviderCredentialAnswer',
  ListBYOKKeysResponse: 'ProviderCredentialList',
  BYOKKey: 'ProviderCredential',
  CreateWorkspaceResponse: 'WorkspaceAnswer',
  GetWorkspaceResponse: 'WorkspaceAnswer',
};
const compiled = new Map<string, ValidateFunction>();

/**
 * Checks a value against a named schema of the contract, if the contract is there, and against what Headgate's own
 * document says of the same.
 * @throws Error naming the place and what is wrong there.
 */
export function checkContract(schema: string, value: unknown): void {
  const published = publishedNames[schema];
  if (published !== undefined) checkPublished(published, value);
  const known = schema === 'OpenResponsesResult' ? withoutServiceItems(value) : value;
  checkContractAt(`/components/schemas/${schema}`, withoutFiles(known));
}

/** Whether an annotation is a file that the gateway read: a kind of this gateway, which the contract lacks. */
const isFile = (annotation: unknown) => (annotation as { readonly type?: unknown }).type === 'file';

/** A value without the files in its annotations. An event that adds one is checked with a citation in its place. */
function withoutFiles(value: unknown): unknown {
  if (!JSON.stringify(value)?.includes('"type":"file"')) return value;
  return JSON.parse(
    JSON.stringify(value, (name, member: unknown) => {
      if (name === 'annotations' && Array.isArray(member)) return member.filter((one) => !isFile(one));
      if (name !== 'annotation' || !isFile(member)) return member;
      return { type: 'file_path', file_id: 'file', index: 0 };
    }),
  );
}

/**
 * A response without the items of the gateway's tools, which are checked on their own: the contract lists them among output
 * items, but its base schema of a response lacks them.
 */
function withoutServiceItems(value: unknown): unknown {
  const { output } = value as { readonly output?: readonly { readonly type: string }[] };
  if (output === undefined) return value;
  for (const item of output) {
    if (item.type.startsWith('service:')) checkContractAt('/components/schemas/OutputItems', item);
  }
  return { ...(value as object), output: output.filter(({ type }) => !type.startsWith('service:')) };
}

/** Checks a value against the schema at a JSON pointer of the contract. */
export function checkContractAt(pointer: string, value: unknown): void {
  if (!hasContract) return;
  const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `contract#${pointer}` });
  compiled.set(pointer, validate);
  if (validate(value)) return;
  const [fault] = validate.errors ?? [];
  throw new Error(
    `${pointer}${fault?.instancePath}: ${fault?.message} (${JSON.stringify(fault?.params)})\n${JSON.stringify(value)}`,
  );
}
