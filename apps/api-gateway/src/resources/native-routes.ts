import type { CallOptions } from '@witan/service-kit';
import { DOCUMENTED_ERROR } from '../errors/error-schema.ts';
import type { Module, RequiredScope } from '../auth/scope.ts';
import { optionsOf } from '../http/route.ts';
import { encodeAs } from '../http/encode.ts';
import type { CompleteMessage, ObjectSchema } from '../http/encode.ts';
import type { JsonSchema, Reply, Route, RouteCall, RouteResponse } from '../http/route.ts';
import type { Static } from '../http/schema.ts';
import { PAGE_QUERY, readPage } from './list-page.ts';
import type { ListPage } from './list-page.ts';
import type { ResourceId } from './resource-id.ts';

type Ids = Readonly<Record<string, ResourceId>>;

/** Input of a route's function: the validated parts of the call and the options of an RPC. */
export type NativeCall<B = JsonSchema, I extends Ids = Ids> = {
  call: RouteCall;
  ids: { readonly [K in keyof I]: string };
  body: Static<B>;
  query: RouteCall['query'];
  options: CallOptions;
};

type Definition<B extends JsonSchema, I extends Ids> = Pick<
  Route,
  | 'id'
  | 'summary'
  | 'description'
  | 'headers'
  | 'query'
  | 'uploads'
  | 'bodyBytesMax'
  | 'limitsMemory'
> & {
  /** Default: the module of the routes, and for GET also its read scope. */
  scopes?: readonly RequiredScope[];
  /** Ids in the path. A malformed id is answered like an unknown one. */
  ids?: I;
  body?: B;
  idempotent?: boolean;
  /** Descriptions of errors by status; the default for 404 names the last of `ids`. */
  errors?: Readonly<Record<number, string | RouteResponse>>;
};

type Handled<B extends JsonSchema, I extends Ids> = Definition<B, I> &
  Pick<Route, 'wantsStream' | 'limitsStreams'> & {
    responses: Readonly<Record<number, RouteResponse>>;
    handle: (input: NativeCall<B, I>) => Promise<Reply | undefined>;
  };

type Encoded<B extends JsonSchema, I extends Ids, S extends ObjectSchema, M, C> = Definition<
  B,
  I
> & {
  /** Default: 201 for `create`, else 200. */
  status?: number;
  /** Description, schema and headers of the response; the schema also encodes it. */
  returns: string;
  schema: S;
  returnsHeaders?: RouteResponse['headers'];
  run: (input: NativeCall<B, I> & C) => Promise<M & CompleteMessage<S, M>>;
};

type Removal<I extends Ids> = Definition<JsonSchema, I> & {
  returns?: string;
  run: (input: NativeCall<JsonSchema, I>) => Promise<unknown>;
};

/** `encodeAs` without its check of the message, which the type of `run` has made already. */
type Encode = (schema: ObjectSchema, message: object) => object;

/** Tag of routes in the documentation, and the module whose scopes they need by default. */
type Owner = { tag: string; module: Module };

type Target = { method: Route['method']; path: string };

const handledRoute = <B extends JsonSchema, I extends Ids>(
  { tag, module }: Owner,
  { method, path }: Target,
  { ids, errors, idempotent, handle, responses, ...route }: Handled<B, I>,
): Route => ({
  surface: 'native',
  tag,
  scopes: method === 'get' ? [module, `${module}:read`] : [module],
  ...route,
  method,
  path,
  ...(idempotent ? { idempotent } : {}),
  responses: { ...responses, ...toErrors(ids, errors) },
  handle: (call) =>
    handle({
      call,
      ids: readIds(ids, call),
      // A getter, because this object stays in memory during the call, even if the handler frees
      // the body.
      get body() {
        return call.body as Static<B>;
      },
      query: call.query,
      options: optionsOf(call),
    }),
});

type Defaults = { method: Route['method']; status: number; idempotent?: boolean };

const encodedRoutes =
  (owner: Owner, { method, status: defaultStatus, idempotent = false }: Defaults) =>
  <
    const I extends Ids,
    const S extends ObjectSchema,
    M extends object,
    const B extends JsonSchema = JsonSchema,
  >(
    path: string,
    {
      status = defaultStatus,
      returns: description,
      schema,
      returnsHeaders: headers,
      run,
      ...route
    }: Encoded<B, I, S, M, object>,
  ): Route =>
    handledRoute(
      owner,
      { method, path },
      {
        idempotent,
        ...route,
        responses: { [status]: { description, schema, ...(headers && { headers }) } },
        handle: async (input) => ({ status, json: (encodeAs as Encode)(schema, await run(input)) }),
      },
    );

/** Returns functions that create the native routes of a tag, with the scopes of a module. */
export const nativeRoutes = (tag: string, module: Module) => {
  const owner = { tag, module };
  const get = encodedRoutes(owner, { method: 'get', status: 200 });
  return {
    /** A route whose function returns the whole response or writes it itself. */
    handled: <B extends JsonSchema, I extends Ids>(
      method: Route['method'],
      path: string,
      definition: Handled<B, I>,
    ): Route => handledRoute(owner, { method, path }, definition),
    get,
    /** A POST that creates something; supports `Idempotency-Key`. */
    create: encodedRoutes(owner, { method: 'post', status: 201, idempotent: true }),
    /** A POST that does something, without support for `Idempotency-Key` unless stated. */
    act: encodedRoutes(owner, { method: 'post', status: 200 }),
    change: encodedRoutes(owner, { method: 'patch', status: 200 }),
    replace: encodedRoutes(owner, { method: 'put', status: 200 }),
    /** A GET of a page of items; `cursorId` is the kind of id that a cursor must have. */
    list: <const I extends Ids, const S extends ObjectSchema, M extends object>(
      path: string,
      {
        cursorId,
        run,
        ...route
      }: Encoded<JsonSchema, I, S, M, { page: ListPage }> & { cursorId: ResourceId },
    ): Route =>
      get(path, {
        query: PAGE_QUERY,
        ...route,
        // The message was checked against the schema by the type of this function's parameter.
        run: ((input: NativeCall<JsonSchema, I>) =>
          run({ ...input, page: readPage(input, cursorId.is) })) as () => Promise<never>,
      }),
    remove: <const I extends Ids>(
      path: string,
      { returns = 'It is gone', run, ...route }: Removal<I>,
    ): Route =>
      handledRoute(
        owner,
        { method: 'delete', path },
        {
          ...route,
          responses: { 204: { description: returns } },
          handle: async (input) => {
            await run(input);
            return { status: 204 };
          },
        },
      ),
  };
};

const readIds = <I extends Ids>(ids: I | undefined, { params }: RouteCall) =>
  Object.fromEntries(
    Object.entries(ids ?? {}).map(([name, id]) => [name, id.read(params[name])]),
  ) as { [K in keyof I]: string };

const toErrors = (
  ids: Ids = {},
  errors: Readonly<Record<number, string | RouteResponse>> = {},
): Record<number, RouteResponse> => {
  const last = Object.values(ids).at(-1);
  const described = { ...(last ? { 404: `No such ${last.noun}` } : {}), ...errors };
  return Object.fromEntries(
    Object.entries(described).map(([status, error]) => [
      status,
      typeof error === 'string' ? DOCUMENTED_ERROR.native(error) : error,
    ]),
  );
};
