import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway } from '../support/gateway.ts';
import { secondOpinion, smallModel } from './second-opinion.ts';

/**
 * A process with a gateway that has the tool of tests, on a database file, for tests that kill it. Its arguments are the
 * data directory and the addresses of the big and the small model's providers; it prints its own address and a key.
 */
const [directory = '', big = '', small = ''] = process.argv.slice(2);
const north = providerOf({ slug: 'north', baseUrl: `${big}/v1` });
const south = providerOf({ slug: 'south', baseUrl: `${small}/v1` });
const gateway = await startGateway({
  models: [modelOf('acme/atlas-4', [north]), modelOf(smallModel, [south])],
  parts: { tools: [secondOpinion] },
  databaseUrl: `sqlite:${directory}/books.db`,
  config: { dataDirectory: directory },
});
process.stdout.write(`${JSON.stringify({ url: gateway.url, key: gateway.key })}\n`);
