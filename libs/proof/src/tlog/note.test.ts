import { createPrivateKey, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { tlogVectors } from '../../test/tlog-vectors.ts';
import { reasonOf } from '../../test/reason-of.ts';
import { encodeUint64, joinBytes } from '../bytes.ts';
import { formatCheckpoint, parseCheckpoint } from './checkpoint.ts';
import {
  cosignedText,
  createNoteKey,
  formatNoteKey,
  formatSignatureLine,
  parseNote,
  parseNoteKey,
  verifyNote,
} from './note.ts';
import { parsePolicy, quorumTime, formatPolicy } from './policy.ts';
import { verifyCheckpointText } from './verify-bundle.ts';

const vectors = tlogVectors('checkpoints');
const logKey = parseNoteKey(vectors.vkey);
const witnessKeys = vectors.witnesses.map(({ vkey }) => parseNoteKey(vkey));
const mlDsa = tlogVectors('mldsa-cosignatures');

const signerOf = (seed: string) => {
  const der = Buffer.from(`302e020100300506032b657004220420${seed}`, 'hex');
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return (text: string) => new Uint8Array(sign(null, Buffer.from(text), key));
};

describe('a key of a note', () => {
  const points = {
    'the neutral element': Buffer.from(`01${'00'.repeat(31)}`, 'hex'),
    'a point of order 4': Buffer.alloc(32),
    'a point of order 8': Buffer.from(
      'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
      'hex',
    ),
    'bytes that encode no point': Buffer.from(`02${'00'.repeat(31)}`, 'hex'),
  };
  it.each(Object.entries(points))('is not %s, of a log or of a witness', (_name, point) => {
    for (const type of [1, 4]) {
      const key = formatNoteKey(createNoteKey({ name: 'w.example', type, key: point }));
      expect(reasonOf(() => parseNoteKey(key))).toBe('policy');
    }
  });
});

describe('a signed note', () => {
  it.each(vectors.checkpoints)('of golang.org/x/mod is verified: size $size', (vector) => {
    const note = parseNote(vector.cosigned);
    expect(note.text).toBe(vector.text);
    const verified = verifyNote(note, [logKey, ...witnessKeys]);
    expect(verified.map(({ key }) => key)).toEqual([logKey, ...witnessKeys]);
    expect(verified.slice(1).every(({ time }) => time! > 1_700_000_000)).toBe(true);
    expect(formatCheckpoint(parseCheckpoint(vector.text))).toBe(vector.text);
  });

  it.each(vectors.checkpoints)('is made with the same bytes: size $size', (vector) => {
    const { text, signed, cosigned } = vector;
    const line = formatSignatureLine(logKey, signerOf(vectors.seed)(text));
    expect(`${text}\n${line}\n`).toBe(signed);
    const lines = verifyNote(parseNote(cosigned), witnessKeys).map(({ key, time }, i) => {
      const signature = signerOf(vectors.witnesses[i]!.seed)(cosignedText(text, time!));
      return `${formatSignatureLine(key, joinBytes([encodeUint64(time!), signature]))}\n`;
    });
    expect(signed + lines.join('')).toBe(cosigned);
  });

  const { signed, cosigned } = vectors.checkpoints[3]!;

  it('is refused with any byte of it changed', () => {
    const keys = [logKey, ...witnessKeys];
    const accepted: string[] = [];
    for (let i = 0; i < cosigned.length; i += 1) {
      const other = cosigned[i] === 'A' ? 'B' : 'A';
      const changed = cosigned.slice(0, i) + other + cosigned.slice(i + 1);
      const isAccepted = reasonOf(() => {
        if (verifyNote(parseNote(changed), keys).length < keys.length) parseNote('too few');
      });
      if (isAccepted === undefined) accepted.push(changed);
    }
    expect(accepted).toEqual([]);
  });

  it('ignores signatures by other keys and repeated ones', () => {
    const twice = signed + signed.slice(signed.lastIndexOf('—'));
    expect(verifyNote(parseNote(twice), [logKey])).toEqual([{ key: logKey }]);
    expect(verifyNote(parseNote(cosigned), [witnessKeys[1]!])).toHaveLength(1);
    expect(verifyNote(parseNote(cosigned), [])).toEqual([]);
  });

  it.each(mlDsa.cosignatures)('ignores an ML-DSA-44 cosignature of Go: size $size', (vector) => {
    const key = parseNoteKey(mlDsa.vkey);
    expect(formatNoteKey(key)).toBe(mlDsa.vkey);
    const checkpoint = vectors.checkpoints.find(({ size }) => size === vector.size)!;
    const note = parseNote(checkpoint.signed + vector.line);
    expect(note.signatures.at(-1)).toMatchObject({ name: key.name, keyId: key.id });
    expect(note.signatures.at(-1)!.bytes).toHaveLength(8 + 2420);
    expect(verifyNote(note, [logKey, key])).toEqual([{ key: logKey }]);
  });

  it('may have 100 signatures, but not more', () => {
    const line = signed.slice(signed.lastIndexOf('—'));
    const other = formatSignatureLine(
      createNoteKey({ ...logKey, name: 'other' }),
      new Uint8Array(64),
    );
    const of = (count: number) => `${signed}${`${other}\n`.repeat(count - 1)}`;
    expect(line).toContain(logKey.name);
    expect(verifyNote(parseNote(of(100)), [logKey])).toHaveLength(1);
    expect(reasonOf(() => parseNote(of(101)))).toBe('note');
  });

  it.each([
    ['nothing', ''],
    ['no signature', 'text\n'],
    ['no empty line', signed.replace('\n\n', '\n')],
    ['no line feed at its end', signed.slice(0, -1)],
    ['a control character', signed.replace('log', 'log\u0007')],
    ['a carriage return', signed.replaceAll('\n', '\r\n')],
    ['a lone surrogate', `\ud800${signed}`],
    ['a line that is no signature', `${signed}x\n`],
    ['a hyphen instead of a dash', signed.replace('—', '-')],
    ['a signature of no bytes', 'text\n\n— name AAAAAA==\n'],
    ['base64 with spare bits', 'text\n\n— name AAAAAAF=\n'],
    ['a name with a plus', 'text\n\n— na+me AAAAAAA=\n'],
  ])('cannot have %s', (_name, text) => {
    expect(reasonOf(() => parseNote(text))).toBe('note');
  });

  it.each([
    ['two empty lines', 'a\n1\nx\n\n'],
    ['an extension line', `a\n1\n${'A'.repeat(43)}=\nextension\n`],
    ['no origin', `\n1\n${'A'.repeat(43)}=\n`],
    ['a size with a leading zero', `a\n01\n${'A'.repeat(43)}=\n`],
    ['a negative size', `a\n-1\n${'A'.repeat(43)}=\n`],
    ['a size above 2^53-1', `a\n9007199254740992\n${'A'.repeat(43)}=\n`],
    ['a root of another length', 'a\n1\nAAAA\n'],
    ['no line feed', `a\n1\n${'A'.repeat(43)}=`],
  ])('is not a checkpoint with %s', (_name, text) => {
    expect(reasonOf(() => parseCheckpoint(text))).toBe('note');
  });
});

describe('a policy', () => {
  const checkpoint = vectors.checkpoints.find(({ size }) => size === 70_000)!;

  it.each(tlogVectors('policies').policies)('has the verdicts of torchwood: $name', (vector) => {
    const isAccepted = (note: string) =>
      reasonOf(() => verifyCheckpointText(note, parsePolicy(vector.policy))) === undefined;
    expect(reasonOf(() => parsePolicy(vector.policy)) === undefined).toBe(vector.parses);
    if (!vector.parses) return;
    expect(isAccepted(checkpoint.signed)).toBe(vector.signed);
    expect(isAccepted(checkpoint.cosigned)).toBe(vector.cosigned);
  });

  const [w1, w2, w3] = vectors.witnesses.map(({ vkey }) => vkey) as [string, string, string];
  const mlDsaWitness = `witness q ${mlDsa.vkey}`;

  it.each([
    ['one key under two names', `log ${vectors.vkey}\nwitness a ${w1}\nwitness b ${w1}\nquorum a`],
    ['one log twice', `log ${vectors.vkey}\nlog ${vectors.vkey}\nquorum none`],
    ['a name twice', `witness a ${w1}\nwitness a ${w2}\nquorum a`],
    ['a member twice', `witness a ${w1}\ngroup g 2 a a\nquorum g`],
    [
      'a member of two groups',
      `witness a ${w1}\ngroup g 1 a\ngroup h 1 a\ngroup i all g h\nquorum i`,
    ],
    ['two quorums', 'quorum none\nquorum none'],
    ['a quorum before its definition', `quorum a\nwitness a ${w1}`],
    ['none as a member', `witness a ${w1}\ngroup g 1 none a\nquorum g`],
    ['a witness named none', `witness none ${w1}\nquorum none`],
    ['an empty group', 'group g all\nquorum g'],
    ['a threshold with a sign', `witness a ${w1}\ngroup g +1 a\nquorum g`],
    ['a log key as a witness', `witness a ${vectors.vkey}\nquorum a`],
    ['a witness key as a log', `log ${w1}\nquorum none`],
    ['an unknown keyword', 'constructor\nquorum none'],
    ['a key with another id', `witness a ${w1.replace(/\+[0-9a-f]{8}/, '+00000000')}\nquorum a`],
    ['a key of an unknown type', 'log a+00000000+CQ==\nquorum none'],
    ['a carriage return', 'quorum none\r\n'],
  ])('cannot have %s', (_name, text) => {
    expect(reasonOf(() => parsePolicy(text))).toBe('policy');
  });

  it('allows comments, white space, URLs and no line feed at its end', () => {
    const policy = parsePolicy(
      `# trust\n\n\t log  ${vectors.vkey} https://log.example \nwitness ä ${w1} http://w\nquorum ä`,
    );
    expect(policy.logs[0]).toEqual({ key: logKey, url: 'https://log.example' });
    expect(policy.witnesses[0]).toMatchObject({ name: 'ä', url: 'http://w' });
  });

  it('has at most 1,000 lines, with or without a line feed at its end', () => {
    const text = `${'#\n'.repeat(999)}quorum none`;
    expect(reasonOf(() => parsePolicy(text))).toBeUndefined();
    expect(reasonOf(() => parsePolicy(`${text}\n`))).toBeUndefined();
    expect(reasonOf(() => parsePolicy(`#\n${text}`))).toBe('policy');
    expect(reasonOf(() => parsePolicy(`${text}\n#`))).toBe('policy');
  });

  it('does not count a witness with an ML-DSA-44 key', () => {
    const line = mlDsa.cosignatures.find(({ size }) => size === 70_000)!.line;
    const note = checkpoint.signed + line;
    const text = `log ${vectors.vkey}\n${mlDsaWitness}\nquorum q\n`;
    expect(reasonOf(() => verifyCheckpointText(note, parsePolicy(text)))).toBe('quorum');
  });

  it('takes the time at which the quorum was reached, not that of the slowest witness', () => {
    const keys = witnessKeys;
    const policyText = formatPolicy({ logs: [logKey], witnesses: keys, threshold: 2 });
    const { quorum, witnesses } = parsePolicy(policyText);
    const at = (...times: (number | undefined)[]) =>
      quorumTime(
        quorum,
        witnesses.flatMap(({ key }, i) =>
          times[i] === undefined ? [] : [{ key, time: times[i] }],
        ),
      );
    expect(at(30, 10, 20)).toBe(20);
    expect(at(undefined, 10, 20)).toBe(20);
    expect(at(undefined, 10)).toBeUndefined();
    expect(policyText).toContain(`witness w3 ${w3}`);
  });
});
