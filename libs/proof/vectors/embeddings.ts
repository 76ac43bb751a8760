import { commitEmbeddings, embeddingCommitmentText } from '../src/embedding-answer.ts';

/** Two vectors of three floats: 0.25, -1 and 0.1; 1.5, 0 and -0.000001. */
export const VECTORS = ['AACAPgAAgL/NzMw9', 'AADAPwAAAAC9N4a1'];

const USAGE = { prompt_tokens: 5, total_tokens: 5 };

const toBody = (embeddings: readonly unknown[]) => ({
  object: 'list',
  data: embeddings.map((embedding, index) => ({ object: 'embedding', index, embedding })),
  model: 'text-embedding-3-small',
  usage: USAGE,
});

const FLOATS = [
  [0.25, -1, 0.1],
  [1.5, 0, -0.000001],
];
const BASE64 = toBody(VECTORS);

/** Responses of `POST /v1/embeddings` with the same vectors. */
export const EMBEDDINGS = [
  { name: 'base64', body: BASE64 },
  { name: 'float', body: toBody(FLOATS) },
  {
    name: 'float with more digits than a float has',
    body: toBody([[0.25, -1, 0.100000001490116], FLOATS[1]]),
  },
].map(({ name, body }) => ({
  name,
  body,
  text: embeddingCommitmentText(VECTORS),
  sha256: commitEmbeddings(VECTORS),
}));

export const EMBEDDING_REQUEST =
  '{"model":"text-embedding-3-small","input":["Zoë","Say hi"],"encoding_format":"base64"}';
