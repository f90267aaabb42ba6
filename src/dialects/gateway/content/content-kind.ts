import type { ContentPart } from '../../../core/request.ts';
import type { TSchema } from '../../../util/json-schema.ts';
import type { CacheRules } from '../common-settings.ts';

/** One kind of content part (docs/spec/requests.md#content-parts): its public schema, and how it becomes canonical. */
export interface ContentKind<Part = ContentPart> {
  readonly schema: TSchema;
  /**
   * Checks and converts a part; undefined when it says nothing, such as empty text.
   * @throws HeadgateError `invalid_request`.
   */
  readonly read: (part: unknown, path: string, rules: CacheRules) => Part | undefined;
}
