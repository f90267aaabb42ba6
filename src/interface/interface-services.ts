import type { PublicDialect } from '../dialects/public-dialect.ts';
import type { AppServices } from '../edge/app-services.ts';
import type { JsonObject } from '../util/json.ts';
import type { WeeklyPopularity } from './models/popularity.ts';

/** What handlers of routes need. */
export interface InterfaceServices extends AppServices {
  readonly popularity: WeeklyPopularity;
  /** The public dialect of `POST /responses`. */
  readonly responses: PublicDialect;
  /** The document of the whole table. */
  readonly document: () => JsonObject;
}
