/** A JSON object whose members nobody has looked at. */
export type JsonObject = { readonly [key: string]: unknown };
