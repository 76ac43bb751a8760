// Checks deploy/k8s and deploy/helm as part of `npm run check`. With --write, first writes the
// network policies and the templates of the chart.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { callGraph } from '@witan/contracts/call-graph';
import { checkChart } from './chart/check-chart.ts';
import { makeChart } from './chart/make-chart.ts';
import { checkManifests } from './check-manifests.ts';
import { readFiles } from './files.ts';
import { POLICIES, writeNetworkPolicies } from './network-policies.ts';
import { READERS } from './readers.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const services = Object.keys(READERS);
if (process.argv.includes('--write')) {
  writeFileSync(join(root, POLICIES), writeNetworkPolicies(callGraph));
  for (const [path, text] of makeChart(readFiles(root, services))) {
    writeFileSync(join(root, path), text);
  }
}
const files = readFiles(root, services);
const findings = [...checkManifests(files, READERS), ...checkChart(files)];
process.stdout.write(findings.map((finding) => `${finding}\n`).join(''));
process.exitCode = findings.length > 0 ? 1 : 0;
