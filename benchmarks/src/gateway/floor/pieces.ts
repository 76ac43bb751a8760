/** The pieces of a certified completion in their order, each with what it does. */
export const PIECES = {
  pipe: 'node:http to undici and back',
  parse: 'UTF-8 checked, request and response parsed, the answer gathered',
  key: 'SHA-256 of the key, its entry, its rate limit',
  validate: 'model and messages checked',
  mask: 'personal data searched, with the name model',
  certify: 'both commitments, ids, canonical payload, hash, Ed25519',
  reserve: 'reservation durable before the request is sent',
  append: 'certificate durable before the last byte is sent',
  log: 'a log line',
  metrics: 'three counters and two histograms',
} as const;

export type Piece = keyof typeof PIECES;

export const PIECE_NAMES = Object.keys(PIECES) as Piece[];
