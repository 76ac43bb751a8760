import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { ProofError } from '@witan/proof';
import { parseCheckpoint, parseDecimal, parseHash } from '@witan/proof/tlog/checkpoint';
import { isConsistent } from '@witan/proof/tlog/merkle';
import {
  cosignedText,
  createNoteKey,
  formatNoteKey,
  formatSignatureLine,
  NOTE_KEY_TYPES,
  parseNote,
  parseNoteKey,
  verifyNote,
} from '@witan/proof/tlog/note';
import type { Note } from '@witan/proof/tlog/note';

export type WitnessResponse = { status: number; body: string };

/** What a witness does that is out of order; undefined: what it should. */
export type WitnessFailure =
  | 'frozen'
  | 'failing'
  | 'claims-more'
  | 'claims-other'
  /** Cosigns, but another line with its key id comes first. */
  | 'adds-line'
  /** Cosigns the checkpoint with something after it. */
  | 'signs-more'
  /** Cosigns with a time that no date has. */
  | 'signs-late';

/** A witness of C2SP tlog-witness with one log, in memory. */
export type TestWitness = {
  name: string;
  vkey: string;
  /** Response to add-checkpoint. */
  add: (body: string) => Promise<WitnessResponse>;
  /** Size and root of the last cosigned checkpoint. */
  seen: () => { size: number; root: Uint8Array } | undefined;
  setFailure: (failure: WitnessFailure | undefined) => void;
};

type WitnessOptions = {
  name: string;
  /** Seconds since 1970. */
  clock?: () => number;
  /** Returns the keys of the logs that it accepts. */
  logs: () => readonly string[];
};

export const createWitness = ({
  name,
  logs,
  clock = () => Math.floor(Date.now() / 1_000),
}: WitnessOptions): TestWitness => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  const key = createNoteKey({ name, type: NOTE_KEY_TYPES.cosignature, key: new Uint8Array(raw) });
  let seen: { size: number; root: Uint8Array } | undefined;
  let failure: WitnessFailure | undefined;

  const cosign = (noteText: string, seconds = clock()): string => {
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(BigInt(seconds));
    const message = Buffer.from(cosignedText(noteText, seconds));
    const signature = Buffer.concat([time, sign(null, message, privateKey)]);
    return `${formatSignatureLine(key, signature)}\n`;
  };
  const answer = (note: Note): string => {
    const { text, signatures } = note;
    if (failure === 'adds-line') {
      const other = formatSignatureLine({ ...key, name: 'other.test' }, new Uint8Array(72));
      return `${other}\n${cosign(text)}`;
    }
    if (failure === 'signs-more') {
      const lines = signatures.map(
        ({ name: signer, keyId, bytes }) =>
          `${formatSignatureLine({ ...key, name: signer, id: keyId }, bytes)}\n`,
      );
      return `more\n\n${cosign(`${text}\n${lines.join('')}more\n`)}`;
    }
    return failure === 'signs-late' ? cosign(text, 9e15) : cosign(text);
  };
  const judge = (body: string): WitnessResponse => {
    const { old, proof, note } = parseRequest(body);
    const { origin, size, root } = parseCheckpoint(note.text);
    const known = logs()
      .map(parseNoteKey)
      .filter((one) => one.name === origin);
    if (known.length === 0) return { status: 404, body: 'unknown log\n' };
    if (verifyNote(note, known).length === 0) return { status: 403, body: 'not signed\n' };
    if (old > size) return { status: 400, body: 'old is larger\n' };
    const last = seen ?? { size: 0, root: new Uint8Array() };
    if (old !== last.size) return { status: 409, body: `${last.size}\n` };
    const isFirst = old === 0 && proof.length === 0;
    const isExtension =
      isFirst || isConsistent({ oldSize: old, oldRoot: last.root, size, root, proof });
    if (!isExtension) return { status: 422, body: 'not consistent\n' };
    if (failure !== 'signs-more' && failure !== 'signs-late') seen = { size, root };
    return { status: 200, body: answer(note) };
  };
  return {
    name,
    vkey: formatNoteKey(key),
    seen: () => seen,
    setFailure: (next) => (failure = next),
    add: async (body) => {
      if (failure === 'frozen') return { status: 0, body: '' };
      if (failure === 'failing') return { status: 500, body: 'out of order\n' };
      if (failure === 'claims-more') return { status: 409, body: '1000000\n' };
      if (failure === 'claims-other') return { status: 422, body: 'not consistent\n' };
      try {
        return judge(body);
      } catch (error) {
        if (error instanceof ProofError) return { status: 400, body: `${error.message}\n` };
        throw error;
      }
    },
  };
};

const parseRequest = (body: string) => {
  const end = body.indexOf('\n\n');
  const [first = '', ...lines] = body.slice(0, end).split('\n');
  return {
    old: parseDecimal(first.replace(/^old /, '')),
    proof: lines.map(parseHash),
    note: parseNote(body.slice(end + 2)),
  };
};

/** Serves a witness on loopback; a frozen one never responds. */
export const serveWitness = async (
  witness: TestWitness,
): Promise<AsyncDisposable & { url: string }> => {
  const server = createServer((request, response) => {
    void readText(request).then(async (body) => {
      const isKnown = request.method === 'POST' && request.url === '/add-checkpoint';
      const { status, body: answer } = isKnown
        ? await witness.add(body)
        : { status: 404, body: '' };
      if (status === 0) return;
      const type = status === 409 ? 'text/x.tlog.size' : 'text/plain';
      response.writeHead(status, { 'content-type': type }).end(answer);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
