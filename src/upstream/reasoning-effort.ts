export { reasoningBudget, reasoningEffort } from '../core/reasoning-effort.ts';
