import { talkRules } from './rules/talk-rules.ts';
import type { TaskRule } from './rules/task-rule.ts';
import { textRules } from './rules/text-rules.ts';
import { topicRules } from './rules/topic-rules.ts';
import { vocabulary } from './rules/vocabulary.ts';

/** The rules that count for every text: what shall be done with a text, what it is about, and what kind of talk it is. */
export const taskRules: readonly TaskRule[] = [...textRules, ...topicRules, ...talkRules, ...vocabulary];
