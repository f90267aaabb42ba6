/** Every reasoning effort that a request can name (docs/spec/requests.md#reasoning), from most to least. */
export const efforts = ['max', 'xhigh', 'high', 'medium', 'low', 'minimal', 'none'] as const;

/** How hard a model should think. */
export type Effort = (typeof efforts)[number];
