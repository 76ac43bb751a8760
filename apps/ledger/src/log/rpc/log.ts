import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { notFound } from '@witan/contracts';
import type { LogService } from '@witan/contracts/services';
import { parseTilePath } from '@witan/proof/tlog/tile';
import type { Handlers } from '@witan/service-kit';
import type { LogPolicy } from '../log-policy.ts';
import { readPublicTile } from '../public-tiles.ts';
import type { PublishedCache } from '../public-tiles.ts';
import type { TileSource } from '../read-tile.ts';
import type { Submission, WitnessAnswer } from '../witnesses.ts';

export type PublicLog = {
  origin: string;
  vkeys: readonly string[];
  intervalMs: number;
  policy: LogPolicy;
  tiles: TileSource;
  published: PublishedCache;
  nextSubmission: () => Promise<Submission | undefined>;
  /** Returns whether the witnesses may be asked again at once. */
  takeAnswers: (size: number, answers: readonly WitnessAnswer[]) => Promise<boolean>;
};

export const NO_LOG = 'This gateway has no transparency log.';
export const NO_TILE = 'The log has no such tile.';

export const createLogHandlers = (log: PublicLog | undefined): Handlers<typeof LogService> => ({
  getCheckpoint: async () => {
    if (!log) throw notFound(NO_LOG);
    const published = await log.published.find();
    return {
      origin: log.origin,
      vkeys: [...log.vkeys],
      intervalMs: log.intervalMs,
      policy: log.policy.text,
      size: BigInt(published?.size ?? 0),
      note: published?.note ?? '',
      ...(published ? { publishedAt: timestampFromDate(published.at) } : {}),
    };
  },
  readTile: async ({ path }) => {
    if (!log) throw notFound(NO_LOG);
    const tile = parseTilePath(path);
    const bytes = tile && (await readPublicTile(log.published, log.tiles, tile));
    if (!bytes) throw notFound(NO_TILE);
    return { tile: bytes };
  },
  nextSubmission: async () => {
    const submission = await log?.nextSubmission();
    return submission ? { ...submission, size: BigInt(submission.size) } : {};
  },
  takeAnswers: async ({ size, answers }) => {
    if (!log) throw notFound(NO_LOG);
    return { again: await log.takeAnswers(Number(size), answers) };
  },
});
