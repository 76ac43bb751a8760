import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { describeBundle } from '../../proof/describe-bundle.ts';
import type { ResultRow } from '../../proof/describe-bundle.ts';
import { isStatus } from '../../api/api-error.ts';
import { Icon } from '../../ui/icon.tsx';
import { Failure, Notice, Skeleton } from '../../ui/page-state.tsx';
import { Section } from '../../ui/page.tsx';
import { bundleQuery, logQuery } from './calls-query.ts';
import css from './calls.module.css';

const INTRO =
  'Where this certificate is in the transparency log, and who has seen that. This browser ' +
  'verifies it under the policy that the gateway names; a verifier elsewhere uses its own.';

/** The bundle of a certificate, verified in this browser; nothing if the gateway has no log. */
export const LogPanel = ({ proofId }: { proofId: string }) => {
  const log = useQuery(logQuery);
  const bundle = useQuery(bundleQuery(proofId));
  const failed = [log, bundle].find(({ isError }) => isError);
  if (failed !== undefined && isStatus(failed.error, 404)) return null;
  return (
    <Section title="Transparency log" intro={INTRO}>
      {failed !== undefined ? (
        <Failure error={failed.error} onRetry={() => void failed.refetch()} />
      ) : log.data === undefined || bundle.data === undefined ? (
        <Skeleton lines={6} />
      ) : bundle.data.isPending ? (
        <Notice tone="info">
          The certificate is not in a published epoch yet. That takes some seconds.
        </Notice>
      ) : (
        <Outcome bundle={bundle.data.text} policy={log.data.policy} />
      )}
    </Section>
  );
};

const Outcome = ({ bundle, policy }: { bundle: string; policy: string }) => {
  const { tone, verdict, rows } = useMemo(() => describeBundle(bundle, policy), [bundle, policy]);
  return (
    <>
      <p className={css.verdict} data-tone={tone}>
        <Icon name={TONE_ICONS[tone]} />
        {verdict}
      </p>
      <ul className={css.checks}>
        {rows.map((row) => (
          <Check key={row.name} row={row} />
        ))}
      </ul>
      <p>
        <a href={`data:application/json,${encodeURIComponent(bundle)}`} download="bundle.json">
          Save the bundle
        </a>
        {', and verify it '}
        <a href="/verify">on a page without a network</a>.
      </p>
    </>
  );
};

const TONE_ICONS = { good: 'passed', warn: 'info', bad: 'failed' } as const;
const STATES = { ok: 'passed', failed: 'failed', 'not checked': 'skipped' } as const;
const ICONS = { ok: 'passed', failed: 'failed', 'not checked': 'info' } as const;

const Check = ({ row: { name, outcome, found } }: { row: ResultRow }) => (
  <li className={css.check} data-state={STATES[outcome]}>
    <Icon name={ICONS[outcome]} />
    <span>
      <span className={css.name}>
        {name}: {outcome}
      </span>
      <span className={css.found}>{found}</span>
    </span>
  </li>
);
