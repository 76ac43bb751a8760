import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { isStatus } from '../../api/api-error.ts';
import { certificateQuery } from '../../proof/certificate-query.ts';
import type { Certificate } from '../../proof/certificate-query.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copyable.tsx';
import { EmptyState, Failure, Skeleton } from '../../ui/page-state.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { neighborsQuery } from './calls-query.ts';
import css from './calls.module.css';
import { CertificateMembers } from './certificate-members.tsx';
import { VerifyPanel } from './verify-panel.tsx';

const routeApi = getRouteApi('/shell/calls/$proofId');

/** One certified call: what its certificate says, and whether that is true. */
export const CallDetail = () => {
  const { proofId } = routeApi.useParams();
  const certificate = useQuery(certificateQuery(proofId));
  return (
    <Page title="Call" intro={<Copyable text={proofId} name="certificate id" />}>
      {certificate.isPending ? (
        <Skeleton lines={12} />
      ) : certificate.isError ? (
        isStatus(certificate.error, 404) ? (
          <MissingCall />
        ) : (
          <Failure error={certificate.error} onRetry={() => void certificate.refetch()} />
        )
      ) : (
        <Loaded key={proofId} text={certificate.data} />
      )}
    </Page>
  );
};

const MissingCall = () => (
  <EmptyState icon="calls" title="There is no such call in this workspace">
    <p>
      Check the id, or <Link to="/calls">choose a call from the list</Link>.
    </p>
  </EmptyState>
);

const Loaded = ({ text }: { text: string }) => {
  const certificate = JSON.parse(text) as Certificate;
  return (
    <div className={css.detail}>
      <div className={css.column}>
        <CertificateMembers certificate={certificate} />
        <ChainPosition certificate={certificate} />
        <Section title="Certificate as JSON">
          <pre className={css.raw} tabIndex={0} aria-label="Certificate as JSON">
            {JSON.stringify(certificate, undefined, 2)}
          </pre>
        </Section>
      </div>
      <div className={`${css.column} ${css.aside}`}>
        <VerifyPanel text={text} chainIndex={certificate.payload.chainIndex} />
      </div>
    </div>
  );
};

/** The certificates before and after, which this one is linked with by hashes. */
const ChainPosition = ({
  certificate: { payload, payload_hash },
}: {
  certificate: Certificate;
}) => {
  const neighbors = useQuery(neighborsQuery(payload.chainIndex));
  const { previous, next } = neighbors.data ?? {};
  return (
    <Section
      title={`Number ${payload.chainIndex} of the chain`}
      intro={
        'Each certificate contains the hash of the one before it. Removing or changing one ' +
        'breaks the chain for every reader.'
      }
    >
      <ol className={css.chain}>
        <ChainStep title="Before" certificate={previous} none="This is the first certificate." />
        <li className={css.step} data-current>
          <span className={css.name}>This certificate</span>
          <span className={css.found}>
            <Time at={payload.issuedAt} />
            <br />
            <code>{payload_hash}</code>
          </span>
        </li>
        <ChainStep title="After" certificate={next} none="This is the newest certificate." />
      </ol>
      <div>
        <Link to="/calls/chain" search={{ to: payload.chainIndex }} className={buttonClass()}>
          Verify the chain to here
        </Link>
      </div>
    </Section>
  );
};

type ChainStepProps = { title: string; certificate: Certificate | undefined; none: string };

const ChainStep = ({ title, certificate, none }: ChainStepProps) => (
  <li className={css.step}>
    <span className={css.name}>{title}</span>
    <span className={css.found}>
      {certificate === undefined ? (
        none
      ) : (
        <>
          <Time at={certificate.payload.issuedAt} />
          <br />
          <code>{certificate.payload_hash}</code>
          <br />
          <Link
            to="/calls/$proofId"
            params={{ proofId: certificate.payload.id }}
            className={buttonClass('quiet')}
          >
            Open number {certificate.payload.chainIndex}
          </Link>
        </>
      )}
    </span>
  </li>
);
