import type { ModelSettings } from '../catalogue/catalogue-schema.ts';
import type { Reading } from './reading.ts';

/** Checks what models say of other slugs: former ids must stand for one model alone, and no model follows itself. */
export function checkSlugs(models: readonly ModelSettings[], reading: Reading): void {
  const owners = new Map<string, string>();
  for (const model of models) if (model?.id !== undefined) owners.set(model.id.toLowerCase(), model.id);
  for (const [index, model] of models.entries()) {
    if (model?.id === undefined) continue;
    const path = `models[${index}]`;
    for (const [place, alias] of (model.aliases ?? []).entries()) {
      if (alias === undefined) continue;
      const owner = owners.get(alias.toLowerCase());
      owners.set(alias.toLowerCase(), model.id);
      if (owner === undefined) continue;
      reading.problem(`${path}.aliases[${place}]`, {
        problem: `"${alias}" stands for "${owner}" already`,
        allowed: 'former ids that no other model has',
        remedy: 'remove it in one of the two places',
      });
    }
    checkOthers(path, model, reading);
  }
}

function checkOthers(path: string, model: ModelSettings, reading: Reading): void {
  for (const key of ['successor', 'fast_sibling'] as const) {
    if (model[key]?.toLowerCase() !== model.id.toLowerCase()) continue;
    reading.problem(`${path}.${key}`, {
      problem: 'the model names itself',
      allowed: 'the id of another model',
      remedy: 'name another model or remove it',
    });
  }
  const date = model.expiration_date;
  if (date === undefined || !Number.isNaN(Date.parse(`${date}T00:00:00Z`))) return;
  reading.problem(`${path}.expiration_date`, {
    problem: `"${date}" is no day`,
    allowed: 'a day such as 2027-01-31',
    remedy: 'correct it',
  });
}
