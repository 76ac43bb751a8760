// Writes the test vectors next to this file: node libs/proof/vectors/make.ts. The output is
// deterministic; a test compares it with the files.
import { writeFileSync } from 'node:fs';
import { sha256Hex } from '../src/bytes.ts';
import { answerNamed, ANSWERS } from './answers.ts';
import { EMBEDDING_REQUEST, EMBEDDINGS } from './embeddings.ts';
import { invalidCertificates } from './invalid-certificates.ts';
import { invalidChains } from './invalid-chains.ts';
import {
  chainHeader,
  chainLines,
  exampleChain,
  examplePayload,
  NEW_KEY,
  OLD_KEY,
  REQUEST_BODY,
  certify,
  embeddingPayload,
} from './samples.ts';

export function makeVectors(): Record<string, string> {
  const publicKey = {
    algorithm: 'Ed25519',
    keyId: NEW_KEY.row.keyId,
    publicKey: NEW_KEY.row.publicKey,
    publicKeyRaw: Buffer.from(NEW_KEY.raw).toString('base64'),
    keys: [OLD_KEY.row, NEW_KEY.row],
  };
  const answers = ANSWERS.map(({ name }) => {
    const answer = answerNamed(name);
    return { ...answer, sha256: sha256Hex(answer.text) };
  });
  const plain = answerNamed('plain');
  const message = answerNamed('message');
  const output = answerNamed('response');
  const chunks = plain.chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
  return {
    'public-key.json': pretty(publicKey),
    'public-key.pem': OLD_KEY.row.publicKey,
    'certificate.json': JSON.stringify(certify(examplePayload(), OLD_KEY)),
    'request.json': REQUEST_BODY,
    'response.json': JSON.stringify(plain.body),
    'response.txt': `${chunks.join('')}data: [DONE]\n\n`,
    'message.json': JSON.stringify(message.body),
    'message.txt': framesOf(message.chunks),
    'responses.json': JSON.stringify(output.body),
    'responses.txt': `${framesOf(output.chunks)}data: [DONE]\n\n`,
    'answers.json': pretty(answers),
    'embedding-request.json': EMBEDDING_REQUEST,
    'embedding.json': JSON.stringify(EMBEDDINGS[0]!.body),
    'embedding-certificate.json': JSON.stringify(certify(embeddingPayload(), OLD_KEY)),
    'embeddings.json': pretty(EMBEDDINGS),
    'chain.ndjson': `${chainLines().join('\n')}\n`,
    'chain.json': JSON.stringify({ chain: chainHeader(), proofs: exampleChain() }),
    'invalid-certificates.json': pretty(invalidCertificates()),
    'invalid-chains.json': pretty(invalidChains()),
  };
}

function framesOf(events: unknown[]): string {
  return (events as { type: string }[])
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}

function pretty(value: unknown): string {
  return `${JSON.stringify(value, null, 1)}\n`;
}

if (import.meta.main) {
  for (const [name, text] of Object.entries(makeVectors())) {
    writeFileSync(new URL(name, import.meta.url), text);
  }
}
