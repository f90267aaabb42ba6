/**
 * Every kind of task that `service/auto` distinguishes (docs/spec/routers.md#tasks). The list is closed, because
 * statistics are kept for each kind.
 */
export const taskTags = [
  'code:generation',
  'code:debugging',
  'code:refactoring',
  'code:review',
  'code:explanation',
  'code:testing',
  'code:sql',
  'code:devops',
  'code:frontend',
  'agent:tool_use',
  'agent:multi_step_planning',
  'agent:coding',
  'math',
  'data_analysis',
  'science',
  'qa_knowledge',
  'research_report',
  'summarization',
  'translation',
  'extraction',
  'classification',
  'rewriting',
  'creative_writing',
  'marketing_copy',
  'roleplay',
  'customer_support',
  'legal',
  'finance',
  'health',
  'brainstorming',
  'advice',
  'small_talk',
] as const;

/** A kind of task. */
export type TaskTag = (typeof taskTags)[number];

/** The tag that a text is, if it is one. */
export function readTaskTag(text: string): TaskTag | undefined {
  return taskTags.find((tag) => tag === text);
}
