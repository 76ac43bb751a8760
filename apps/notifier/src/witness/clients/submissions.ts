import type { LogService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import type { Submissions } from '../carry-submissions.ts';

const TIMEOUT_MS = 5_000;

export const createSubmissions = (log: Client<typeof LogService>): Submissions => ({
  next: () => log.nextSubmission({}, { timeoutMs: TIMEOUT_MS }),
  take: async (size, answers) => {
    const { again } = await log.takeAnswers(
      { size, answers: [...answers] },
      { timeoutMs: TIMEOUT_MS },
    );
    return again;
  },
});
