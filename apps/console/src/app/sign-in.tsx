import { useEffect, useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { describeError, isStatus } from '../api/api-error.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/page-state.tsx';
import { TextField } from '../ui/text-field.tsx';
import { sessionQuery, signIn } from './session.ts';
import css from './sign-in.module.css';
import { ThemeMenu } from './theme-menu.tsx';
import markUrl from './witan.svg';

const routeApi = getRouteApi('/sign-in');

/** Exchanges an API key, or the token of a one-time link, for a session cookie. */
export const SignIn = () => {
  const { next = '/' } = routeApi.useSearch();
  const { takeToken } = routeApi.useRouteContext();
  const router = useRouter();
  const client = useQueryClient();
  const entering = useMutation({
    mutationFn: signIn,
    onSuccess: (session) => {
      client.setQueryData(sessionQuery.queryKey, session);
      router.history.replace(next);
    },
  });
  const { mutate } = entering;
  useEffect(() => {
    document.title = 'Sign in · Witan';
  }, []);
  useEffect(() => {
    const token = takeToken();
    if (token !== undefined) mutate({ token });
  }, [mutate, takeToken]);
  return (
    <main className={css.page}>
      <div className={css.card}>
        <div className={css.head}>
          <img src={markUrl} alt="" width="40" height="40" />
          <h1>Sign in to Witan</h1>
          <p className="muted">
            Use an API key of your workspace. It is exchanged for a cookie and not stored here.
          </p>
        </div>
        {entering.isError && <Notice tone="bad">{describeSignIn(entering.error)}</Notice>}
        <KeyForm isPending={entering.isPending} onKey={(key) => mutate({ key })} />
        <p className={css.foot}>
          <code>npm start</code> prints a link that signs in once, and a key. What this session may
          see and do is what its key may.
        </p>
      </div>
      <div className={css.tools}>
        <ThemeMenu />
      </div>
    </main>
  );
};

type KeyFormProps = { isPending: boolean; onKey: (key: string) => void };

const KeyForm = ({ isPending, onKey }: KeyFormProps) => {
  const [key, setKey] = useState('');
  const [isEmpty, setEmpty] = useState(false);
  return (
    <form
      className={css.form}
      onSubmit={(event) => {
        event.preventDefault();
        setEmpty(key.trim() === '');
        if (key.trim() !== '') onKey(key.trim());
      }}
    >
      <TextField
        label="API key"
        type="password"
        autoComplete="off"
        autoFocus
        placeholder="sk_live_…"
        value={key}
        onChange={setKey}
        error={isEmpty ? 'Paste a key first.' : undefined}
      />
      <Button kind="primary" type="submit" isPending={isPending}>
        Sign in
      </Button>
    </form>
  );
};

const describeSignIn = (error: unknown): string =>
  isStatus(error, 401)
    ? 'This key or link is not valid: it is unknown, expired, revoked or was used before.'
    : describeError(error);
