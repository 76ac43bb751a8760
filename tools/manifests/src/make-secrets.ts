// Prints new secrets for overlays/dev: `node src/make-secrets.ts | kubectl apply -f -`.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import process from 'node:process';
import { callGraph } from '@witan/contracts/call-graph';
import { makeSecrets } from './secrets.ts';

const secrets = makeSecrets(Object.keys(callGraph), {
  newKeyPair: () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    return {
      privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    };
  },
  newSecret: (bytes) => randomBytes(bytes),
});
process.stdout.write(`${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: secrets })}\n`);
