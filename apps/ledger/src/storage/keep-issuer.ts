import { everyWorkspace } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';

/**
 * Remembers the issuer of these chains at the first start and refuses any other: it is part of
 * every chain's genesis hash, and certificates cannot be mended.
 */
export const keepIssuer = (database: Database, issuer: string): Promise<void> =>
  database.scoped(everyWorkspace, async (em) => {
    await em.execute('INSERT INTO chain_issuer (issuer) VALUES (?) ON CONFLICT DO NOTHING', [
      issuer,
    ]);
    const [known] = await em.execute<{ issuer: string }[]>('SELECT issuer FROM chain_issuer');
    if (known!.issuer === issuer) return;
    throw new Error(
      `These chains were issued by "${known!.issuer}", and WITAN_ISSUER says "${issuer}": an ` +
        'issuer never changes. Set it back, or use another database.',
    );
  });
