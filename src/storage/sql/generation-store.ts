import { type Kysely, sql } from 'kysely';
import { nanoFromInteger } from '../../core/money.ts';
import type { Generation, GenerationStore, UsageRow } from '../../ports/generations.ts';
import { generationFromRow } from './generation-row.ts';
import type { Schema } from './schema.ts';
import { dayLength, dayName } from './windows.ts';

type Grouping = 'key' | 'model' | 'provider' | 'day';

/** Reads generation records in any SQL engine. Reports run on a connection of their own. */
export class SqlGenerationStore implements GenerationStore {
  readonly #db: Kysely<Schema>;
  readonly #reports: Kysely<Schema>;

  constructor(db: Kysely<Schema>, reports: Kysely<Schema>) {
    this.#db = db;
    this.#reports = reports;
  }

  async find(id: string): Promise<Generation | undefined> {
    const row = await this.#db.selectFrom('generations').selectAll().where('id', '=', id).executeTakeFirst();
    return row && generationFromRow(row);
  }

  /**
   * A generation counts from the instant it was settled, as its charge does. Where nobody was reached the
   * model is the requested one and the provider "none"; a key without a record goes by its hash. A count
   * that was not reported adds nothing.
   */
  async usage(since: number, by: Grouping): Promise<readonly UsageRow[]> {
    const rows = await this.#reports
      .selectFrom('generations')
      .leftJoin('api_keys', 'api_keys.hash', 'generations.key_hash')
      .select((select) => [
        groupings[by].as('group'),
        select.fn.countAll<bigint>().as('requests'),
        total(
          sql`coalesce(uncached_input, 0) + coalesce(cache_read, 0) + coalesce(cache_write, 0)
            + coalesce(cache_write_long, 0) + coalesce(audio_input, 0)`,
        ).as('input_tokens'),
        total(sql`coalesce(output, 0)`).as('output_tokens'),
        total(sql`coalesce(reasoning, 0)`).as('reasoning_tokens'),
        total(sql`cost`).as('cost'),
      ])
      .where('settled_at', '>=', BigInt(Math.ceil(since)))
      .groupBy(groupings[by])
      .orderBy(by === 'day' ? sql`1` : sql`6 desc, 1`)
      .execute();
    return rows.map((row) => ({
      group: typeof row.group === 'bigint' ? dayName(Number(row.group)) : row.group,
      requests: Number(row.requests),
      inputTokens: Number(row.input_tokens),
      outputTokens: Number(row.output_tokens),
      reasoningTokens: Number(row.reasoning_tokens),
      cost: nanoFromInteger(row.cost),
    }));
  }
}

const groupings = {
  key: sql<string | bigint>`coalesce(api_keys.label, generations.key_hash)`,
  model: sql<string | bigint>`coalesce(generations.model, generations.requested_model)`,
  provider: sql<string | bigint>`coalesce(generations.provider, 'none')`,
  day: sql<string | bigint>`generations.settled_at / ${sql.lit(dayLength)}`,
} satisfies Record<Grouping, unknown>;

/** An exact sum; without the cast some engines widen it to a decimal type. */
function total(expression: ReturnType<typeof sql>) {
  return sql<bigint>`cast(sum(${expression}) as bigint)`;
}
