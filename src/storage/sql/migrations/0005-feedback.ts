import type { SchemaDialect } from '../schema-dialect.ts';

/** What keys think of calls. A comment is sealed with a key of its account and a day, like what was said. */
export function feedback({ integer, text, tableEnd }: SchemaDialect): readonly string[] {
  return [
    `create table feedback (
      generation_id ${text} not null, key_hash ${text} not null, account_id ${text} not null references accounts (id),
      workspace_id ${text}, model ${text} not null, preset ${text}, at ${integer} not null, rating ${integer},
      score ${integer}, verdict ${integer}, category ${text}, tags ${text} not null, comment ${text},
      content_key_id ${text}, comment_expires_at ${integer}, primary key (generation_id, key_hash)
    ) ${tableEnd}`,
    'create index feedback_by_account on feedback (account_id, at)',
    'create index feedback_with_comments on feedback (comment_expires_at) where comment is not null',
    'create index feedback_by_content_key on feedback (content_key_id) where content_key_id is not null',
  ];
}
