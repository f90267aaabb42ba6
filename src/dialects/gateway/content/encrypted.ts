import type { EncryptedPart } from '../../../core/request.ts';
import { createChecker } from '../../../schema/checker.ts';
import { choice, Type, text } from '../../../util/json-schema.ts';
import type { ContentKind } from './content-kind.ts';

/** `encrypted_content`: text only its maker can read, in messages between agents. */
const EncryptedContentSchema = Type.Object({
  type: choice('encrypted_content'),
  encrypted_content: text(),
});

const checkEncryptedContent = createChecker(EncryptedContentSchema);

/** How `encrypted_content` is read. */
export const encryptedContent: ContentKind<EncryptedPart> = {
  schema: EncryptedContentSchema,
  read: (part, path) => ({
    kind: 'encrypted',
    encrypted: checkEncryptedContent(part, path).encrypted_content,
  }),
};
