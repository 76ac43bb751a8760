import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { VERSION } from '@witan/service-kit/release';
import { INFO } from '@witan/api-gateway/docs/openapi-info';
import { parse } from 'yaml';
import { toLabels } from '../src/images/to-labels.ts';
import { toProvenance } from '../src/provenance/to-provenance.ts';
import { toProgramSbom } from '../src/sbom/to-program-sbom.ts';
import { PROVENANCE_PARTS } from './provenance-parts.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8');
const readVersion = (text: string): string => (JSON.parse(text) as { version: string }).version;

describe('the version of a release', () => {
  let version: string;
  beforeAll(async () => {
    version = readVersion(await read('package.json'));
  });

  it('is that of the services, their metrics and their log', () => {
    expect(VERSION).toBe(version);
  });

  it('is that of every package', async () => {
    const paths = ['e2e/package.json', 'benchmarks/package.json'];
    for await (const path of glob('{apps,libs,tools}/*/package.json', { cwd: ROOT })) {
      paths.push(path);
    }
    expect(paths.length).toBeGreaterThan(10);
    for (const path of paths) {
      expect([path, readVersion(readFileSync(join(ROOT, path), 'utf8'))]).toEqual([path, version]);
    }
  });

  it('is printed by witan --version', async () => {
    const main = join(ROOT, 'tools/witan/src/main.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [main, '--version']);
    expect(stdout).toBe(`${version}\n`);
  });

  it('is that of the OpenAPI document', () => {
    expect(INFO.version).toBe(version);
  });

  it('is that of the chart and of the images that it installs', async () => {
    const chart = parse(await read('deploy/helm/witan/Chart.yaml')) as Record<string, unknown>;
    expect([chart.version, chart.appVersion]).toEqual([version, version]);
  });

  it('is the tag of the images in compose.yaml and the overlays, and the default of the Dockerfile', async () => {
    const compose = await read('compose.yaml');
    const inCompose = [...compose.matchAll(/WITAN_VERSION:-([^}]+)/g)].map(([, one]) => one);
    const overlay = await read('deploy/k8s/overlays/prod/kustomization.yaml');
    const inOverlay = [...overlay.matchAll(/newTag: ([^ ]+)/g)].map(([, one]) => one);
    expect(inOverlay).not.toEqual([]);
    expect(new Set([...inCompose, ...inOverlay])).toEqual(new Set([version]));
    expect(await read('deploy/docker/Dockerfile')).toContain(`ARG VERSION=${version}\n`);
  });

  it('is in the labels, the SBOM and the provenance of an image', () => {
    const source = { version, revision: 'r', created: new Date(0), source: undefined };
    expect(toLabels(source)['org.opencontainers.image.version']).toBe(version);
    const sbom = toProgramSbom(
      { metadata: {}, components: [], dependencies: [] },
      { name: 'ledger', version, nodeVersion: '24.0.0', packages: [] },
    );
    expect(sbom.metadata.component).toMatchObject({ version });
    const provenance = toProvenance({ ...PROVENANCE_PARTS, version });
    expect(provenance.subject[0]?.name).toBe(`witan/ledger:${version}`);
    expect(provenance.predicate.buildDefinition.externalParameters.version).toBe(version);
  });
});
