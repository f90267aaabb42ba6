import type { TSchema } from '../../util/json-schema.ts';

/** The document of the interface as far as its page shows it. */
export interface InterfaceDocument {
  readonly info: { readonly title: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, TSchema>> };
}

/** What can be done at a path by one method. */
export interface DocumentedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** Empty where no key is needed; absent where the document's own holds. */
  readonly security?: readonly object[];
  readonly parameters?: readonly DocumentedParameter[];
  readonly requestBody?: { readonly content: Content };
  /** Where it lies, if not where the others do. */
  readonly servers?: readonly { readonly url: string }[];
  readonly responses: Readonly<Record<string, DocumentedAnswer>>;
}

/** An answer of one status. */
export interface DocumentedAnswer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: TSchema }>>;
  readonly content?: Content;
}

/** A parameter of the path, the query or the headers. */
export interface DocumentedParameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: TSchema;
}

/** Schemas by content type. */
export type Content = Readonly<Record<string, { readonly schema: TSchema }>>;
