import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { describeError } from '../../api/api-error.ts';
import { certificateQuery } from '../../proof/certificate-query.ts';
import type { Certificate } from '../../proof/certificate-query.ts';
import { ROUTING } from '../../proof/routing-reasons.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Detail, DetailList } from '../../ui/detail-list.tsx';
import { formatCount, formatDuration } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Notice, Skeleton } from '../../ui/page-state.tsx';
import { Section } from '../../ui/page.tsx';
import css from './playground.module.css';
import type { Preview } from './playground-query.ts';
import type { CallProgress } from './send-call.ts';
import type { Call } from './use-call.ts';

type AnswerPanelProps = { call: Call; preview: Preview | undefined };

/** The answer as it arrives, then how long it took and what its certificate says. */
export const AnswerPanel = ({ call, preview }: AnswerPanelProps) => {
  const { progress, isPending, isStopped, error } = call;
  return (
    <Section title="Answer">
      <div className={css.answer} aria-live="polite" aria-busy={isPending}>
        {progress?.text ??
          (isPending ? (
            <Skeleton lines={3} />
          ) : (
            <span className="muted">Send the call to see its answer here.</span>
          ))}
      </div>
      {isStopped && (
        <Notice tone="warn">
          You stopped this call.
          {progress?.proofId !== undefined && ' Its certificate says that it was aborted.'}
        </Notice>
      )}
      {error && <Notice tone="bad">{describeError(error)}</Notice>}
      {(isStopped || error) && progress?.proofId !== undefined && (
        <CertificateLink proofId={progress.proofId} />
      )}
      {progress?.totalMs !== undefined && <Facts progress={progress} preview={preview} />}
    </Section>
  );
};

type FactsProps = { progress: CallProgress; preview: Preview | undefined };

const Facts = ({ progress, preview }: FactsProps) => (
  <>
    <DetailList>
      <Detail name="First byte">{formatDuration(progress.firstByteMs ?? 0)}</Detail>
      <Detail name="Total">{formatDuration(progress.totalMs ?? 0)}</Detail>
      {progress.overheadMs !== undefined && (
        <Detail name="Witan's own part" note="Of the first byte; the rest is the provider's.">
          {formatDuration(progress.overheadMs)}
        </Detail>
      )}
      {progress.droppedParams !== undefined && (
        <Detail name="Not sent" note="The target does not take these members.">
          {progress.droppedParams}
        </Detail>
      )}
    </DetailList>
    {progress.proofId !== undefined && <Attested proofId={progress.proofId} preview={preview} />}
  </>
);

/** What the certificate of the call says, which exists when the answer has ended. */
const Attested = ({ proofId, preview }: { proofId: string; preview: Preview | undefined }) => {
  const certificate = useQuery(certificateQuery(proofId));
  if (certificate.isPending) return <Skeleton lines={4} />;
  if (certificate.isError) {
    return <Notice tone="warn">{describeError(certificate.error)}</Notice>;
  }
  const { payload } = JSON.parse(certificate.data) as Certificate;
  const { egress, routing, response } = payload;
  const { usage } = response;
  return (
    <>
      <DetailList>
        <Detail name="Answered by" note={ROUTING[routing.reason]}>
          {egress.model} at {egress.provider}
        </Detail>
        <Detail name="Masked">{formatCount(egress.pii.masked)}</Detail>
        {preview?.egress.sha256 === egress.sha256 && <SameBytes />}
        <Detail name="Tokens">
          {formatCount(usage.promptTokens)} in, {formatCount(usage.completionTokens)} out
          {usage.estimated === true && ' (estimated)'}
        </Detail>
      </DetailList>
      <CertificateLink proofId={proofId} />
    </>
  );
};

const CertificateLink = ({ proofId }: { proofId: string }) => (
  <div>
    <Link to="/calls/$proofId" params={{ proofId }} className={buttonClass()}>
      Open its certificate
    </Link>
  </div>
);

/** Shown if the certificate attests the very bytes of the preview that is shown. */
const SameBytes = () => (
  <Detail name="Sent" note="The certificate attests their hash.">
    <span className={css.same}>
      <Icon name="passed" />
      The provider got the bytes that are previewed below
    </span>
  </Detail>
);
