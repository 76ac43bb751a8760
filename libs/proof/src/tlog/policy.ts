import { bytesToHex } from '@noble/hashes/utils.js';
import { ProofError } from '../errors.ts';
import { formatNoteKey, NOTE_KEY_TYPES, parseNoteKey } from './note.ts';
import type { NoteKey, VerifiedSignature } from './note.ts';

/** A log or a witness; the URL is that of the policy, if it has one. */
export type PolicyParty = { key: NoteKey; url?: string };

export type Quorum =
  | { kind: 'none' }
  | { kind: 'witness'; name: string; key: NoteKey }
  | { kind: 'group'; name: string; threshold: number; members: readonly Quorum[] };

/** Which logs are trusted, and whose cosignatures a checkpoint needs (C2SP tlog-policy). */
export type Policy = {
  logs: readonly PolicyParty[];
  witnesses: readonly (PolicyParty & { name: string })[];
  quorum: Quorum;
};

/** A policy with more lines is refused. */
const MAX_LINES = 1_000;

/** Parses the text of a policy. Throws ProofError `policy` with the number of the invalid line. */
export function parsePolicy(text: string): Policy {
  // eslint-disable-next-line no-control-regex -- the format forbids control characters
  if (/[\x00-\x08\x0b-\x1f\x7f]/.test(text)) {
    throw new ProofError('policy', 'the policy has control characters');
  }
  const lines = text.replace(/\n$/, '').split('\n');
  if (lines.length > MAX_LINES) throw new ProofError('policy', `more than ${MAX_LINES} lines`);
  const reader = createReader();
  for (const [i, line] of lines.entries()) {
    const words = line.split(/[ \t]+/).filter((word) => word !== '');
    if (words.length === 0 || words[0]!.startsWith('#')) continue;
    try {
      reader.read(words);
    } catch (error) {
      if (!(error instanceof ProofError)) throw error;
      throw new ProofError('policy', `line ${i + 1}: ${error.detail}`, { cause: error });
    }
  }
  return reader.end();
}

function createReader() {
  const logs: PolicyParty[] = [];
  const witnesses: Policy['witnesses'][number][] = [];
  const defined = new Map<string, Quorum>();
  const used = new Set<string>();
  let quorum: Quorum | undefined;
  const define = (name: string, rule: Quorum): void => {
    if (name === 'none' || defined.has(name)) throw invalid(`${name} is defined already`);
    defined.set(name, rule);
  };
  const find = (name: string): Quorum => {
    const rule = defined.get(name);
    if (rule === undefined) throw invalid(`${name} is not defined before it is used`);
    return rule;
  };
  const member = (name: string): Quorum => {
    if (used.has(name)) throw invalid(`${name} is a member of a group already`);
    used.add(name);
    return find(name);
  };
  const statements: Record<string, (words: string[]) => void> = {
    log: (words) => void logs.push(readParty(words, { logs: true, known: logs })),
    witness: ([name = '', ...words]) => {
      const party = readParty(words, { logs: false, known: witnesses });
      define(name, { kind: 'witness', name, key: party.key });
      witnesses.push({ name, ...party });
    },
    group: ([name = '', count = '', ...names]) => {
      const threshold = readThreshold(count, names.length);
      define(name, { kind: 'group', name, threshold, members: names.map(member) });
    },
    quorum: ([name = '', ...rest]) => {
      if (quorum !== undefined || rest.length > 0)
        throw invalid('there is one quorum, of one name');
      quorum = name === 'none' ? { kind: 'none' } : find(name);
    },
  };
  return {
    read([keyword = '', ...words]: string[]): void {
      const statement = Object.hasOwn(statements, keyword) ? statements[keyword] : undefined;
      if (statement === undefined) throw invalid(`${keyword} is not log, witness, group or quorum`);
      statement(words);
    },
    end(): Policy {
      if (quorum === undefined) throw invalid('the policy has no quorum line');
      return { logs, witnesses, quorum };
    },
  };
}

type Expected = { logs: boolean; known: readonly PolicyParty[] };

function readParty([text = '', url, ...rest]: string[], { logs, known }: Expected): PolicyParty {
  if (rest.length > 0) throw invalid(`${rest[0]} is too much`);
  const key = parseNoteKey(text);
  if (logs !== (key.type === NOTE_KEY_TYPES.ed25519)) {
    throw invalid(`${text} is not the key of a ${logs ? 'log' : 'witness'}`);
  }
  // The same key under two names would count twice.
  if (known.some((other) => bytesToHex(other.key.key) === bytesToHex(key.key))) {
    throw invalid(`the key of ${text} is named already`);
  }
  return url === undefined ? { key } : { key, url };
}

function readThreshold(text: string, memberCount: number): number {
  const counts: Record<string, number> = { all: memberCount, any: 1 };
  const threshold = Object.hasOwn(counts, text) ? counts[text]! : Number(text);
  if (!/^(?:all|any|[1-9]\d{0,5})$/.test(text) || threshold > memberCount || memberCount === 0) {
    throw invalid(`a group of ${memberCount} cannot need ${text}`);
  }
  return threshold;
}

/**
 * Returns the earliest time, in seconds since 1970, at which the cosignatures satisfied the quorum,
 * or undefined if they do not, or if none are needed. With 2 of 3 it is the second smallest time,
 * so that fewer dishonest witnesses than the quorum cannot choose it.
 */
export function quorumTime(
  quorum: Quorum,
  signatures: readonly VerifiedSignature[],
): number | undefined {
  if (quorum.kind === 'none') return undefined;
  if (quorum.kind === 'witness') return signatures.find(({ key }) => key === quorum.key)?.time;
  const times = quorum.members
    .map((member) => quorumTime(member, signatures))
    .filter((time) => time !== undefined)
    .toSorted((a, b) => a - b);
  return times[quorum.threshold - 1];
}

/** Returns the shortest text of a policy with one log, whose quorum is `threshold` of witnesses. */
export function formatPolicy(policy: {
  logs: readonly NoteKey[];
  witnesses: readonly NoteKey[];
  threshold: number;
}): string {
  const { logs, witnesses, threshold } = policy;
  const names = witnesses.map((_, i) => `w${i + 1}`);
  const lines = [
    ...logs.map((key) => `log ${formatNoteKey(key)}`),
    ...witnesses.map((key, i) => `witness ${names[i]} ${formatNoteKey(key)}`),
    ...(threshold === 0
      ? ['quorum none']
      : [`group witnesses ${threshold} ${names.join(' ')}`, 'quorum witnesses']),
  ];
  return `${lines.join('\n')}\n`;
}

const invalid = (detail: string): ProofError => new ProofError('policy', detail);
