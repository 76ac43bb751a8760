// Checks deploy/k8s as part of `npm run check`. With --write, first writes the network policies.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { callGraph } from '@witan/contracts/call-graph';
import { checkManifests } from './check-manifests.ts';
import { readFiles } from './files.ts';
import { POLICIES, writeNetworkPolicies } from './network-policies.ts';
import { READERS } from './readers.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
if (process.argv.includes('--write')) {
  writeFileSync(join(root, POLICIES), writeNetworkPolicies(callGraph));
}
const findings = checkManifests(readFiles(root, Object.keys(READERS)), READERS);
process.stdout.write(findings.map((finding) => `${finding}\n`).join(''));
process.exitCode = findings.length > 0 ? 1 : 0;
