import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway } from '../support/gateway.ts';
import { describeRoles } from '../support/roles-matrix.ts';

const provider = providerOf({ slug: 'deepinfra', baseUrl: 'http://127.0.0.1:1/v1' });

describeRoles(() => startGateway({ models: [modelOf('acme/atlas-4', [provider])] }));
