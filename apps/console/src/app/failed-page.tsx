import { useRouter } from '@tanstack/react-router';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { Page } from '../ui/page.tsx';
import { EmptyState, Failure } from '../ui/page-state.tsx';

/** Shown instead of a page that threw, or whose data could not be loaded. */
export const FailedPage = ({ error, reset }: ErrorComponentProps) => {
  const router = useRouter();
  const retry = (): void => {
    reset();
    void router.invalidate();
  };
  return (
    <Page title="Something went wrong" isNarrow>
      <Failure error={error} onRetry={retry} />
    </Page>
  );
};

/** Shown for an address without a page. */
export const MissingPage = () => (
  <Page title="No such page" isNarrow>
    <EmptyState icon="info" title="There is no page at this address">
      <p>Choose a section in the navigation.</p>
    </EmptyState>
  </Page>
);
