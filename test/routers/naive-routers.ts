import type { Model, Price } from '../../src/core/catalogue.ts';
import { naivePlan } from '../routing/naive-plan.ts';
import type { RandomQuestion } from './random-routing.ts';

type Settings = Readonly<Record<string, unknown>>;

/**
 * What a router chooses as one reads docs/spec/routers.md, without a thought of speed; undefined where it has nothing to
 * choose from.
 */
export function naiveChoice(question: RandomQuestion, random: () => number): readonly string[] | undefined {
  const { slug } = question;
  if (slug === 'service/free') return free(question, random);
  return slug.startsWith('service/pareto') ? pareto(question) : auto(question);
}

/** Models that could serve the request, each with the tags of the endpoints that would. */
export function able(question: RandomQuestion, belongs: (model: Model) => boolean): Map<Model, string[]> {
  const { request, snapshot, allowedModels, slug } = question;
  const all = [...snapshot.catalogue.models.values()];
  const inService = (model: Model) => model.endpoints.some(({ status }) => status === undefined);
  const hasOthers = all.some((model) => !model.id.startsWith('sandbox/') && inService(model));
  const fitsKey = (model: Model) =>
    allowedModels === null ||
    allowedModels.some((entry) =>
      [model.id, model.canonicalSlug].some(
        (name) => matches(entry, name) || matches(entry, name.split(':')[0] ?? ''),
      ),
    );
  const hasImage = request.canonical.items.some(
    (item) => item.kind === 'message' && item.content.some(({ kind }) => kind === 'image'),
  );
  const pool = all.filter(
    (model) =>
      model.hidden !== true &&
      model.retired === undefined &&
      (model.accounts?.has(snapshot.policy.accountId ?? '') ?? true) &&
      model.outputModalities.includes('text') &&
      inService(model) &&
      !(hasOthers && model.id.startsWith('sandbox/')) &&
      belongs(model) &&
      fitsKey(model) &&
      (!hasImage || model.inputModalities.includes('image')),
  );
  if (pool.length === 0) return new Map();
  const variant = slug.split(':')[1];
  const { order, allowFallbacks } = request.provider;
  const plan = naivePlan(
    {
      ...request,
      models: pool.map(({ id }) => (variant === undefined ? id : `${id}:${variant}`)),
      provider: {
        ...request.provider,
        sort: undefined,
        allowFallbacks: order === undefined ? undefined : allowFallbacks,
      },
    },
    { ...snapshot, random: () => 0 },
  );
  const found = new Map<Model, string[]>();
  for (const model of pool) {
    const tags = (plan.targets ?? [])
      .map((target) => target.split(' '))
      .filter(([id]) => id === model.id)
      .map(([, tag = '']) => tag)
      .filter((tag) => takesWhatIsUsed(model, tag, request.parameters));
    if (tags.length > 0) found.set(model, tags);
  }
  return found;
}

function takesWhatIsUsed(model: Model, tag: string, used: readonly string[]): boolean {
  const declared = model.endpoints.find((endpoint) => endpoint.tag === tag)?.supportedParameters;
  if (declared === undefined) return true;
  return (
    (!used.includes('tools') || declared.has('tools')) &&
    (!used.includes('structured_outputs') || declared.has('structured_outputs')) &&
    (!used.includes('response_format') ||
      declared.has('response_format') ||
      declared.has('structured_outputs'))
  );
}

function matches(pattern: string, name: string): boolean {
  const source = pattern
    .toLowerCase()
    .split('*')
    .map((part) => part.replace(/[^a-z0-9]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${source}$`).test(name.toLowerCase());
}

/** The settings of a plugin. */
export function settingsOf({ request }: RandomQuestion, id: string): Settings {
  const entry = request.plugins?.find((one) => one.id === id);
  return entry?.enabled === true ? entry.settings : {};
}

function free(question: RandomQuestion, random: () => number): readonly string[] | undefined {
  const left = [...able(question, ({ id }) => id.endsWith(':free')).keys()].map(({ id }) => id);
  if (left.length === 0) return undefined;
  const chosen: string[] = [];
  const { remembered } = question;
  if (remembered !== undefined && left.includes(remembered)) {
    chosen.push(remembered);
    left.splice(left.indexOf(remembered), 1);
  }
  while (chosen.length < 3 && left.length > 0) {
    const one = left[Math.floor(random() * left.length)] ?? '';
    chosen.push(one);
    left.splice(left.indexOf(one), 1);
  }
  return chosen;
}

const bands = ['low', 'medium', 'high', 'xhigh', 'max'];

function auto(question: RandomQuestion): readonly string[] | undefined {
  const isBeta = question.slug === 'service/auto-beta';
  const settings = settingsOf(question, isBeta ? 'auto-beta-router' : 'auto-router');
  const listOf = (name: string): readonly string[] | undefined => {
    const list = settings[name];
    return Array.isArray(list) ? list.map(String) : undefined;
  };
  const withoutVariant = ({ id }: Model) => id.split(':')[0] ?? '';
  const usable = able(question, ({ id }) => !id.endsWith(':free'));
  const allowed = [...usable.keys()].filter(
    (model) =>
      (listOf('allowed_models')?.some((pattern) => matches(pattern, withoutVariant(model))) ?? true) &&
      !(listOf('excluded_models') ?? []).some((pattern) => matches(pattern, withoutVariant(model))),
  );
  if (allowed.length === 0) return undefined;
  const { defaultModels, priors } = question.snapshot.rules.auto;
  const tag = question.task.tag;
  const defaults = allowed.filter(({ id }) => defaultModels.includes(id));
  const candidates = tag === undefined && defaults.length > 0 ? defaults : allowed;
  const traffic = tag === undefined ? new Map() : question.statistics.traffic(tag);
  const cost = (model: Model): number => {
    const own = traffic.get(model.id);
    if (own !== undefined && own.generations >= 20)
      return Math.floor((Number(own.spend) * 1000) / own.generations);
    const prices = model.endpoints
      .filter((endpoint) => usable.get(model)?.includes(endpoint.tag))
      .flatMap(({ price }) => (price === undefined ? [] : [price]))
      .map((price) => Number(price.prompt * 2000n + price.completion * 500n + (price.request ?? 0n)));
    return Math.min(Number.POSITIVE_INFINITY, ...prices);
  };
  const byCost = candidates.toSorted((one, other) => less(cost(one), cost(other)) || less(one.id, other.id));
  const percentile = (model: Model) => (100 * byCost.indexOf(model)) / (byCost.length - 1);
  const kept = inBand(byCost, settings, percentile);
  const total = [...traffic.values()].reduce((sum, one) => sum + Number(one.spend), 0);
  const prior = (id: string) => (tag === undefined ? 0 : (priors[tag]?.[id] ?? 0));
  const share = ({ id }: Model) => (Number(traffic.get(id)?.spend ?? 0n) + 5e9 * prior(id)) / (total + 5e9);
  const place = ({ id }: Model) =>
    defaultModels.includes(id) ? defaultModels.indexOf(id) : defaultModels.length;
  const order = kept
    .toSorted(
      (one, other) =>
        less(share(other), share(one)) ||
        less(place(one), place(other)) ||
        less(other.created, one.created) ||
        less(one.id, other.id),
    )
    .slice(0, 3)
    .map(({ id }) => id);
  const { remembered, request } = question;
  const isPinned =
    !isBeta && settings.pin_model === true && allowed.some(({ id }) => id === request.lastModel);
  const head = isPinned ? request.lastModel : order.includes(remembered ?? '') ? remembered : undefined;
  return head === undefined ? order : [head, ...order.filter((id) => id !== head)].slice(0, 3);
}

function inBand(
  byCost: readonly Model[],
  settings: Settings,
  percentile: (model: Model) => number,
): readonly Model[] {
  if (byCost.length <= 1) return byCost;
  if (typeof settings.cost_tier !== 'string') {
    const ceiling = 90 - 8 * Number(settings.cost_quality_tradeoff ?? 9);
    return byCost.filter((model) => percentile(model) <= ceiling);
  }
  const wanted = bands.indexOf(settings.cost_tier);
  for (const step of [0, -1, 1, -2, 2, -3, 3, -4, 4]) {
    const kept = byCost.filter((model) => Math.min(4, Math.floor(percentile(model) / 20)) === wanted + step);
    if (kept.length > 0) return kept;
  }
  return byCost;
}

function pareto(question: RandomQuestion): readonly string[] | undefined {
  const settings = settingsOf(question, 'pareto-router');
  const score = (model: Model) => model.listing?.codingPercentile ?? 0;
  const usable = able(
    question,
    (model) => score(model) >= 50 && model.accounts === undefined && !model.id.endsWith(':free'),
  );
  const models = [...usable.keys()];
  const { now, prompt, statistics } = question.snapshot;
  const prices = (model: Model) =>
    model.endpoints
      .filter(({ tag }) => usable.get(model)?.includes(tag))
      .map(({ price }) => priceNow(price, now, prompt.tokens));
  let order: readonly Model[];
  if (typeof settings.max_price === 'number') {
    const cap = settings.max_price * 1e6;
    const price = (model: Model): number => {
      const measured =
        settings.price_source === 'weighted_avg' ? question.statistics.inputPrice(model.id) : undefined;
      if (measured !== undefined) return Number(measured);
      return Math.min(...prices(model).flatMap((one) => one.prompt ?? []));
    };
    const priced = models.filter((model) => Number.isFinite(price(model)));
    const isBeaten = (model: Model) =>
      priced.some(
        (other) =>
          price(other) <= price(model) &&
          score(other) >= score(model) &&
          (price(other) < price(model) || score(other) > score(model)),
      );
    order = priced
      .filter((model) => price(model) <= cap)
      .toSorted(
        (one, other) =>
          less(Number(isBeaten(one)), Number(isBeaten(other))) ||
          less(score(other), score(one)) ||
          less(price(one), price(other)) ||
          less(one.id, other.id),
      );
  } else {
    const wanted = Number(settings.min_coding_score ?? 1);
    const tiers: readonly (readonly [number, number])[] =
      wanted >= 0.66
        ? [
            [90, 101],
            [75, 90],
            [50, 75],
          ]
        : wanted >= 0.33
          ? [
              [75, 90],
              [90, 101],
              [50, 75],
            ]
          : [
              [50, 75],
              [75, 90],
              [90, 101],
            ];
    const tier = tiers.map(([from, until]) =>
      models.filter((model) => score(model) >= from && score(model) < until),
    );
    const speed = (model: Model) =>
      Math.max(
        0,
        ...model.endpoints
          .filter(({ tag }) => usable.get(model)?.includes(tag))
          .map((endpoint) => statistics.speed(endpoint)?.throughput?.p50 ?? endpoint.prior?.tps ?? 0),
      );
    const cheapest = (model: Model) => Math.min(...prices(model).map(({ blended }) => blended));
    order = (tier.find((some) => some.length > 0) ?? []).toSorted(
      (one, other) =>
        (question.slug.endsWith(':nitro')
          ? less(speed(other), speed(one))
          : less(cheapest(one), cheapest(other))) || less(one.id, other.id),
    );
  }
  const ids = order.slice(0, 3).map(({ id }) => id);
  if (ids.length === 0) return undefined;
  const { remembered = '' } = question;
  return ids.includes(remembered) ? [remembered, ...ids.filter((id) => id !== remembered)] : ids;
}

function less(one: number | string, other: number | string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

/** In pico-USD a token, for a prompt at a moment. */
function priceNow(
  price: Price | undefined,
  now: number,
  tokens: number,
): { readonly prompt: number | undefined; readonly blended: number } {
  if (price === undefined) return { prompt: undefined, blended: Number.POSITIVE_INFINITY };
  let { prompt: input, completion } = price;
  const hour = new Date(now).getUTCHours();
  for (const { minPromptTokens, ...changed } of price.overrides ?? []) {
    const holds = minPromptTokens !== undefined ? tokens > minPromptTokens : hour >= 22 || hour < 6;
    if (!holds) continue;
    input = changed.prompt ?? input;
    completion = changed.completion ?? completion;
  }
  const perRequest = Number(price.request ?? 0n) / 1000;
  return { prompt: Number(input), blended: 0.75 * Number(input) + 0.25 * Number(completion) + perRequest };
}
