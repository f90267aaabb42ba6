/**
 * Checks of the manifests that no schema covers (`check-manifests.ts FILE`): they agree with each other, with the
 * image and with their configuration.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { imageSettings, readDockerfile } from './dockerfile.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: Record<string, string> };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly securityContext: { readonly runAsUser: number; readonly runAsNonRoot: boolean };
        readonly containers: readonly {
          readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
          readonly volumeMounts: readonly { readonly mountPath: string }[];
          readonly securityContext: { readonly readOnlyRootFilesystem: boolean };
          readonly [probe: `${string}Probe`]: {
            readonly httpGet: { readonly path: string; readonly port: string };
          };
        }[];
      };
    };
    readonly selector: Record<string, string> & { readonly matchLabels?: Record<string, string> };
  };
  readonly data: Record<string, string>;
}

const root = join(import.meta.dirname, '../..');
const manifests = parseAllDocuments(readFileSync(process.argv[2] ?? '', 'utf8')).map(
  (one) => one.toJS() as Manifest,
);
const find = (kind: string) =>
  manifests.find((one) => one.kind === kind) ?? assert.fail(`there is no ${kind}`);
const { template } = find('StatefulSet').spec;
const pod = template.spec;
const [container = assert.fail('no container')] = pod.containers;
const image = imageSettings(readDockerfile(join(root, 'Dockerfile')).at(-1) ?? assert.fail('no stage'));
const config = parse(find('ConfigMap').data['headgate.yaml'] ?? '') as {
  readonly server: { readonly drain_timeout: string; readonly metrics_port: number };
};

const drain = Number(/^(\d+)s$/.exec(config.server.drain_timeout)?.[1]);
assert.ok(pod.terminationGracePeriodSeconds >= drain + 30, 'the grace is too short for server.drain_timeout');
assert.equal(pod.securityContext.runAsUser, image.user);
assert.ok(pod.securityContext.runAsNonRoot && container.securityContext.readOnlyRootFilesystem);
const ports = new Map(container.ports.map(({ name, containerPort }) => [name, containerPort]));
assert.equal(ports.get('http'), 8484);
assert.equal(ports.get('metrics'), config.server.metrics_port);
assert.equal(container.startupProbe?.httpGet.path, '/health/live');
assert.equal(
  container.livenessProbe?.httpGet.path,
  '/health/live',
  'a database that is away is no reason to restart',
);
assert.equal(container.readinessProbe?.httpGet.path, '/health/ready');
const mounted = container.volumeMounts.map(({ mountPath }) => mountPath);
assert.ok(mounted.includes(image.environment.HEADGATE_DATA_DIR ?? ''), 'the data directory must be a volume');
assert.ok(mounted.includes(`${image.directory}/headgate.yaml`), 'the configuration is looked for elsewhere');
for (const kind of ['Service', 'PodDisruptionBudget', 'StatefulSet']) {
  for (const { metadata, spec } of manifests.filter((one) => one.kind === kind)) {
    const wanted = Object.entries(spec.selector.matchLabels ?? spec.selector);
    assert.ok(wanted.length > 0, `${kind} ${metadata.name} selects everything`);
    for (const [label, value] of wanted) assert.equal(template.metadata.labels[label], value, metadata.name);
  }
}
console.log(`${manifests.length} manifests agree with each other and with the image`);
