import { marksOf, type TSchema } from '../../util/json-schema.ts';

/** The schemas of a document by name; those that others refer to are found on the way. */
export class Components {
  readonly schemas: Record<string, TSchema> = {};

  /** What stands for a schema in the document: a reference where it has a name. */
  use(schema: TSchema): TSchema {
    const { name } = marksOf(schema);
    if (name === undefined) return this.#inside(schema);
    if (this.schemas[name] === undefined) {
      // The place comes first: what is within may refer to it, and stands behind it.
      this.schemas[name] = schema;
      this.schemas[name] = this.#inside(schema);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  #inside(schema: TSchema): TSchema {
    const { properties, items, additionalProperties: others, oneOf, anyOf } = schema;
    return {
      ...schema,
      ...(properties && { properties: mapValues(properties, (member) => this.use(member)) }),
      ...(items && { items: this.use(items) }),
      ...(typeof others === 'object' && { additionalProperties: this.use(others) }),
      ...(oneOf && { oneOf: oneOf.map((one) => this.use(one)) }),
      ...(anyOf && { anyOf: anyOf.map((one) => this.use(one)) }),
    };
  }
}

function mapValues(members: Readonly<Record<string, TSchema>>, change: (schema: TSchema) => TSchema) {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member)]));
}
