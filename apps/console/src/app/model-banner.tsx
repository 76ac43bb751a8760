import { useQuery } from '@tanstack/react-query';
import { Notice } from '../ui/page-state.tsx';
import { providersQuery } from './providers-query.ts';
import { canUse, useSession } from './session.ts';

/** The provider that answers without a model. */
const OFFLINE = 'offline';

/**
 * Says that no model answers, and what to set, while no provider is configured. A key that may not
 * read the providers does not see it; the results themselves say that no model wrote them.
 */
export const ModelBanner = () => {
  const mayRead = canUse(useSession(), ['gateway:read']);
  const { data } = useQuery({ ...providersQuery, enabled: mayRead });
  if (data === undefined) return null;
  const names = [...data.providers.map(({ name }) => name), ...data.operatorProviders];
  if (names.some((name) => name !== OFFLINE)) return null;
  return (
    <aside aria-label="No model is configured">
      <Notice tone="warn">
        <p>
          <strong>No model is configured.</strong> Answers, syntheses and reports are written by
          rules. For real models add a provider under Settings, Models, or set{' '}
          <code>OPENAI_API_KEY</code>, <code>ANTHROPIC_API_KEY</code>, or{' '}
          <code>LOCAL_BASE_URL</code> with <code>LOCAL_MODEL</code> and start Witan again.
        </p>
      </Notice>
    </aside>
  );
};
