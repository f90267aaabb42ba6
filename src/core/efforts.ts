/** Every reasoning effort that a request can name (responses.md 6.4), from most to least. */
export const efforts = ['max', 'xhigh', 'high', 'medium', 'low', 'minimal', 'none'] as const;
