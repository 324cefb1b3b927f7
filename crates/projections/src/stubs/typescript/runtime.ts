/**
 * What generated clients share: it speaks WIP over HTTPS with the platform's own `fetch`, and nothing else.
 *
 * Begin with a {@link World}, name an {@link Entry} of it, and open that as one of the generated classes. What failed is
 * told by what happened: {@link NotRun}, {@link OutcomeUnknown}, {@link UnexpectedResult}, {@link ObservationFailed}.
 */

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** How long to wait, and for whom. */
export interface Patience {
  /** Milliseconds, for all of it. By default those of the {@link World}. */
  readonly timeout?: number | undefined;
  /** Gives up when it is aborted. A call that was under way then may have run: {@link OutcomeUnknown}. */
  readonly signal?: AbortSignal | undefined;
}

export interface WorldOptions {
  /** The bearer token. It goes to the base URL and nowhere else. */
  readonly token?: string | undefined;
  /** Milliseconds that a call or an observation may take; 60,000 by default. */
  readonly timeout?: number | undefined;
  /** Plain HTTP beyond this machine, where anybody on the way reads the token. */
  readonly allowHttp?: boolean | undefined;
}

/** The name of an interface: unique together with its scope, the path of the Object that it belongs to. */
export interface Reference {
  readonly scope: string;
  readonly name: string;
}

/** Everything that is thrown here. */
export class WipError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}
/** Nothing happened. */
export class NotRun extends WipError {}
/** An argument does not fit, and nothing was sent. */
export class BadArgument extends NotRun {}
/** The interface as this Host has it lacks the operation, and nothing was sent. */
export class OperationMissing extends NotRun {}
/** No connection came about, or the caller had given up before. */
export class NotSent extends NotRun {}
/** The Host refused. */
export class Refused extends NotRun {
  /** The protocol's code, or none where the refusal came before the protocol: a bare 401, for one. */
  readonly code: string | undefined;
  readonly status: number;
  constructor(message: string, status: number, code?: string) {
    super(message);
    this.code = code;
    this.status = status;
  }
}
/** The Object is not as it was shown any more. `refresh()` looks again; whether to call anew is to be decided then. */
export class StateChanged extends Refused {}
/** The call may have run, wholly or not at all, and nobody can say. */
export class OutcomeUnknown extends WipError {}
/** The call ran, but its result is of another type than this program was made for. */
export class UnexpectedResult extends WipError {
  readonly result: Json;
  constructor(message: string, result: Json) {
    super(message);
    this.result = result;
  }
}
/** An Object or an interface could not be seen. */
export class ObservationFailed extends WipError {
  readonly code: string | undefined;
  readonly status: number | undefined;
  constructor(message: string, options?: ErrorOptions & { status?: number | undefined; code?: string | undefined }) {
    super(message, options);
    this.code = options?.code;
    this.status = options?.status;
  }
}
/** The Object publishes no interface of that name, or several. */
export class InterfaceMissing extends ObservationFailed {
  /** What it publishes. */
  readonly available: readonly Reference[];
  constructor(message: string, available: readonly Reference[]) {
    super(message);
    this.available = available;
  }
}

/** A type of the protocol, for generated code: values are read and written by it. */
export type Shape =
  | "unit" | "boolean" | "integer" | "number" | "string" | "bytes" | "json" | "entry"
  | { readonly list: Shape }
  | { readonly record: Fields }
  | { readonly enum: readonly string[] }
  | { readonly union: readonly (readonly [name: string, payload?: Shape])[] };
export type Fields = readonly (readonly [name: string, shape: Shape, optional?: "optional"])[];

/** An operation, for generated code. */
export interface Operation {
  readonly name: string;
  readonly read: boolean;
  /** Whether it runs only in the state that was shown. */
  readonly bound: boolean;
  readonly takes: Fields;
  readonly gives: Shape;
}

// Of other modules, nobody reaches what classes keep private; these do, each set by its class.
let send: (world: World, route: string, body: string, patience: Patience, read: boolean, key?: string) => Promise<Answer>;
let worldOf: (entry: Entry) => World;
let seenOf: (object: WipObject) => Seen;

/** The connection to a Worldspace. Nothing is sent before something is asked for. */
export class World {
  /** The base URL, with a `/` at its end. */
  readonly url: string;
  readonly #token: string | undefined;
  readonly #timeout: number;

  constructor(baseUrl: string, options: WorldOptions = {}) {
    const url = parsedUrl(baseUrl);
    if (url.username !== "" || url.password !== "" || /[?#]/.test(url.href)) {
      throw new BadArgument("a base URL has no user information, no query and no fragment");
    }
    const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
    if (url.protocol !== "https:" && !(url.protocol === "http:" && (loopback || options.allowHttp === true))) {
      throw new BadArgument("a base URL begins with https://; http:// is for this machine, or `allowHttp: true`");
    }
    if (options.token !== undefined && !/^[\x21-\x7e]+$/.test(options.token)) {
      throw new BadArgument("the token is not one of visible ASCII characters");
    }
    this.url = url.href.endsWith("/") ? url.href : `${url.href}/`;
    this.#token = options.token;
    this.#timeout = checkedTimeout(options.timeout ?? 60_000);
  }

  /** The entry at a canonical path: `/`, or `/a/b`. */
  entry(path: string): Entry {
    return new Entry(this, path);
  }

  /** One exchange. What is declared `read` is sent once more, under the same key, after the connection was lost. */
  async #send(route: string, body: string, patience: Patience, read: boolean, key?: string): Promise<Answer> {
    const timeout = checkedTimeout(patience.timeout ?? this.#timeout);
    const { signal } = patience;
    const givenUp = () => signal?.aborted === true;
    if (givenUp()) throw new NoAnswer("it was given up before it began", "unsent", signal?.reason);
    const headers: Record<string, string> = { "Content-Type": "application/json", Accept: "application/json" };
    // A little less than is waited here, so that the Host can still say that its time ran out.
    const wait = Math.ceil(timeout / 1000) - 1;
    if (wait > 0) headers["Prefer"] = `wait=${wait}`;
    if (this.#token !== undefined) headers["Authorization"] = `Bearer ${this.#token}`;
    if (key !== undefined) headers["Idempotency-Key"] = key;
    const stop = new AbortController();
    const abort = () => stop.abort(signal?.reason);
    const timer = setTimeout(() => stop.abort(new Error(`no answer within ${timeout} ms`)), timeout);
    signal?.addEventListener("abort", abort);
    try {
      for (let again = read; ; again = false) {
        try {
          // A redirect is not followed: it is an answer of the status 3xx, or 0 in a browser.
          const response = await fetch(this.url + route, {
            method: "POST", headers, body, signal: stop.signal, redirect: "manual",
            credentials: "omit", referrerPolicy: "no-referrer",
          });
          return await answer(response);
        } catch (error) {
          if (stop.signal.aborted) {
            throw new NoAnswer(givenUp() ? "it was given up" : message(error), "given up", error);
          }
          // Whatever becomes of a repeat, it says nothing of what was sent first.
          const first = again || !read;
          if (first && neverConnected(error)) throw new NoAnswer("no connection came about", "unsent", error);
          if (!again) throw new NoAnswer("the connection was lost before an answer came", "lost", error);
        }
      }
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    }
  }

  static {
    send = (world, ...rest) => world.#send(...rest);
  }
}

/** A place in a Worldspace. It names something and does not promise that it is there; nothing is fetched by itself. */
export class Entry {
  readonly path: string;
  readonly #world: World;

  constructor(world: World, path: string) {
    if (!isPath(path)) throw new BadArgument(`${shown(path)} is no canonical path: \`/\`, or \`/a/b\``);
    this.#world = world;
    this.path = path;
  }

  /** The Object that is there now. */
  async look(patience: Patience = {}): Promise<WipObject> {
    const body = JSON.stringify({ path: this.path, depth: 0 });
    const seen = await observed(this.#world, "v1/observe", body, patience, SEEING, (body) => {
      return readObject(this.path, members(body, ["object"]).get("object"));
    });
    return new WipObject(this, seen);
  }

  /** The Object that is there now, as one that has this interface. */
  async open<T extends InterfaceClient>(as: InterfaceClass<T>, patience: Patience = {}): Promise<T> {
    return (await this.look(patience)).open(as, patience);
  }

  toString(): string {
    return this.path;
  }

  toJSON(): string {
    return this.path;
  }

  static {
    worldOf = (entry) => entry.#world;
  }
}

/** What is published at an entry, as it was seen. */
export class WipObject {
  readonly entry: Entry;
  readonly path: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly interfaces: readonly Reference[];
  readonly #seen: Seen;

  constructor(entry: Entry, seen: Seen) {
    this.entry = entry;
    this.path = entry.path;
    this.name = seen.name;
    this.description = seen.description;
    this.interfaces = seen.interfaces;
    this.#seen = seen;
  }

  /** This Object as one that has this interface. What is `guarded` is bound to what was seen here. */
  async open<T extends InterfaceClient>(as: InterfaceClass<T>, patience: Patience = {}): Promise<T> {
    return new as(await openedAs(this, as.interfaceName, patience));
  }

  static {
    seenOf = (object) => object.#seen;
  }
}

/** A generated class. */
export interface InterfaceClass<T extends InterfaceClient> {
  new (opened: Opened): T;
  readonly interfaceName: string;
}

/**
 * What generated classes are made of: an Object through one of its interfaces.
 *
 * Calls of what is declared `guarded` are bound to the Object as it was shown last: they run only if it is still so.
 */
export class InterfaceClient {
  #opened: Opened;

  constructor(opened: Opened) {
    this.#opened = opened;
  }

  /** Looks at the entry, and opens what is there. */
  static open<T extends InterfaceClient>(this: InterfaceClass<T>, entry: Entry, patience: Patience = {}): Promise<T> {
    return entry.open(this, patience);
  }

  get entry(): Entry {
    return this.#opened.object.entry;
  }

  /** The Object as it was shown last. */
  get object(): WipObject {
    return this.#opened.object;
  }

  /** Looks at the Object and the interface again; calls are bound to what this shows. */
  async refresh(patience: Patience = {}): Promise<WipObject> {
    const object = await this.entry.look(patience);
    this.#opened = await openedAs(object, this.#opened.reference.name, patience);
    return object;
  }

  /** For generated code. */
  protected async $call<T>(operation: Operation, args: object | undefined, patience: Patience = {}): Promise<T> {
    const opened = this.#opened;
    const world = worldOf(this.entry);
    const declared = opened.operations.get(operation.name);
    if (declared === undefined) {
      throw new OperationMissing(`${shown(opened.reference.name)} at ${shown(this.entry.path)} has no operation \
${shown(operation.name)} (any more); \`wip gen\` makes clients of what is there now`);
    }
    const given = written({ record: operation.takes }, args ?? {}, world, "the arguments");
    const validator = operation.bound ? opened.validator : undefined;
    const body = `{"target":${JSON.stringify({ path: this.entry.path, validator })},"interface":${JSON.stringify({
      reference: opened.reference, scope_ref: opened.scopeRef, validator: opened.interfaceValidator,
    })},"operation":${JSON.stringify(operation.name)},"arguments":${given}}`;
    const { result, after, rounded } = await called(world, body, patience, operation.read);
    const fit = fitting<T>(result, operation.gives, declared, { world, whole: false, rounded });
    // One that nobody sent vouches for changes that nobody here was shown.
    if (validator !== undefined && after !== undefined && this.#opened === opened) {
      this.#opened = { ...opened, validator: after };
    }
    if ("value" in fit) return fit.value;
    throw new UnexpectedResult(`${shown(operation.name)} ran, but its result is of another type than this program was \
made for: ${fit.misfit}`, result);
  }
}

/** What is known of an Object, and what of it calls are bound to. */
interface Seen {
  readonly name: string;
  readonly description: string | undefined;
  readonly interfaces: readonly Reference[];
  readonly validator: string | undefined;
}

/** An Object through an interface, for generated code. */
export interface Opened {
  readonly object: WipObject;
  readonly validator: string | undefined;
  readonly reference: Reference;
  readonly scopeRef: string | undefined;
  readonly interfaceValidator: string | undefined;
  /** What each operation gives, as this Host declares it. */
  readonly operations: ReadonlyMap<string, () => Shape>;
}

/** The interface of that name, whatever its scope: an application may be mounted anywhere. */
async function openedAs(object: WipObject, name: string, patience: Patience): Promise<Opened> {
  const [reference, another] = object.interfaces.filter((reference) => reference.name === name);
  if (reference === undefined || another !== undefined) {
    const all = object.interfaces.map((reference) => shown(`${reference.scope}::${reference.name}`));
    throw new InterfaceMissing(`${shown(object.path)} publishes ${another === undefined ? "no" : "more than one"} \
interface ${shown(name)}; there is: ${all.join(", ") || "none at all"}`, object.interfaces);
  }
  const body = JSON.stringify({ interface: reference });
  return observed(worldOf(object.entry), "v1/fetch_interface", body, patience, FETCHING, (body) => {
    const found = members(body, ["interface", "descriptor"], ["scope_ref", "validator"]);
    const answered = members(found.get("interface"), ["scope", "name"]);
    if (answered.get("scope") !== reference.scope || answered.get("name") !== name) {
      throw new Misfit("it is about another interface");
    }
    const scopeRef = found.has("scope_ref") ? text(found.get("scope_ref")) : undefined;
    const operations = operationsOf(found.get("descriptor"));
    const { validator } = seenOf(object);
    return { object, validator, reference, scopeRef, interfaceValidator: validatorIn(found), operations };
  });
}

function operationsOf(descriptor: Json | undefined): Map<string, () => Shape> {
  const declared = members(descriptor, ["format"], "others");
  if (declared.get("format") !== "wip-interface/1") {
    throw new Misfit(`a descriptor of the format ${shown(declared.get("format"))} is not known here`);
  }
  const types = new Map<string, Json | undefined>();
  for (const type of list(declared.get("types"))) {
    const ty = members(type, ["name", "definition"], ["documentation"]);
    types.set(text(ty.get("name")), ty.get("definition"));
  }
  const known = new Map<string, Shape | undefined>();
  const operations = new Map<string, () => Shape>();
  for (const operation of list(declared.get("operations"))) {
    const found = members(operation, ["name", "parameters", "returns"], ["documentation"]);
    const returns = members(found.get("returns"), ["type"], ["documentation"]);
    operations.set(text(found.get("name")), () => shapeOf(returns.get("type"), types, known));
  }
  return operations;
}

/** A type expression of a descriptor. `known` holds nothing for a name that is being read, so that none holds itself. */
function shapeOf(type: Json | undefined, types: Map<string, Json | undefined>, known: Map<string, Shape | undefined>): Shape {
  const found = members(type, ["kind"], "others");
  const kind = text(found.get("kind"));
  const named = (of: Json | undefined) => members(of, ["name"], ["required", "type", "payload", "documentation"]);
  switch (kind) {
    case "unit": case "boolean": case "integer": case "number":
    case "string": case "bytes": case "json": case "entry":
      return kind;
    case "list":
      return { list: shapeOf(found.get("items"), types, known) };
    case "record":
      return { record: list(found.get("fields")).map(named).map((field) => {
        const shape = shapeOf(field.get("type"), types, known);
        return field.get("required") === false ? [text(field.get("name")), shape, "optional"] : [text(field.get("name")), shape];
      }) };
    case "enum":
      return { enum: list(found.get("cases")).map(named).map((one) => text(one.get("name"))) };
    case "union":
      return { union: list(found.get("cases")).map(named).map((one) => {
        const name = text(one.get("name"));
        return one.has("payload") ? [name, shapeOf(one.get("payload"), types, known)] : [name];
      }) };
    case "named": {
      const name = text(found.get("name"));
      if (!known.has(name)) {
        known.set(name, undefined);
        known.set(name, shapeOf(types.get(name), types, known));
      }
      const shape = known.get(name);
      if (shape !== undefined) return shape;
    }
  }
  throw new Misfit("its descriptor is not in order");
}

/** What the stub makes of a result; or why it makes nothing of it, if the Host's own declaration does. */
function fitting<T>(result: Json, gives: Shape, declared: () => Shape, reading: Reading): { value: T } | { misfit: string } {
  try {
    return { value: taken(result, gives, reading, "the result") as T };
  } catch (error) {
    const misfit = message(error);
    try {
      taken(result, declared(), { ...reading, whole: true }, "the result");
    } catch (error) {
      throw new OutcomeUnknown(`the call may have run; the answer breaks the protocol: ${message(error)}`);
    }
    return { misfit };
  }
}

// ---- answers

interface Answer {
  readonly status: number;
  /** What it says, if it is one JSON text. */
  readonly body?: Json;
  readonly unreadable?: string;
}

/** Something that does not fit where it stands. */
class Misfit extends Error {}

/** Why there is no answer. */
class NoAnswer extends Error {
  readonly fate: "unsent" | "lost" | "given up";
  constructor(message: string, fate: "unsent" | "lost" | "given up", cause: unknown) {
    super(message, { cause });
    this.fate = fate;
  }
}

/** What an answer says that is no success. */
class Failure extends Error {
  readonly kind: "code" | "http" | "invalid";
  readonly status: number;
  readonly code: string | undefined;
  constructor(message: string, kind: "code" | "http" | "invalid", status: number, code?: string) {
    super(message);
    this.kind = kind;
    this.status = status;
    this.code = code;
  }
}

const SEEING = ["invalid_request", "not_found", "resource_limit_exceeded", "internal"];
const FETCHING = ["invalid_request", "interface_not_found", "resource_limit_exceeded", "internal"];
const CALLING = [
  ...SEEING, "interface_mismatch", "operation_not_found", "invalid_arguments", "validator_required",
  "validator_mismatch", "interface_validator_required", "interface_validator_mismatch", "permission_denied",
  "operation_outcome_unknown",
];
/** Bare HTTP failures that come before a call is run. */
const BEFORE = [401, 403, 404, 405, 406, 411, 413, 414, 415, 421, 431];
const LARGEST_ANSWER = 8 * 1024 * 1024;

async function answer(response: Response): Promise<Answer> {
  const { status } = response;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (const reader = response.body?.getReader(); reader !== undefined; ) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    size += value.length;
    if (size > LARGEST_ANSWER) {
      await reader.cancel();
      return { status, unreadable: "it is larger than 8 MiB" };
    }
  }
  if (!/^application\/json\s*(;\s*(charset="?utf-8"?)?\s*)*$/i.test(response.headers.get("Content-Type") ?? "")) {
    return { status, unreadable: "it is no application/json" };
  }
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const read = chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode();
    return { status, body: strictJson(read) };
  } catch (error) {
    return { status, unreadable: message(error) };
  }
}

/** What an answer says: a success, or a {@link Failure}. */
function judged<T>(answer: Answer, codes: readonly string[], success: (body: Json) => T): T {
  const { status, body } = answer;
  const ok = status >= 200 && status < 300;
  const invalid = (why: string) => new Failure(`the answer breaks the protocol: ${why}`, "invalid", status);
  const error = body === undefined ? undefined : envelope(body);
  if (error !== undefined) {
    if (ok) throw invalid(`an error under the status ${status}`);
    if (!codes.includes(error.code)) throw invalid(`${error.code} is no error of this interaction`);
    throw new Failure(`${error.code}: ${escaped(error.message.slice(0, 1024))}`, "code", status, error.code);
  }
  try {
    if (body === undefined) throw new Misfit(answer.unreadable);
    const found = success(body);
    if (status === 200) return found;
  } catch (error) {
    if (ok) throw invalid(message(error));
    throw new Failure(`HTTP status ${status}`, "http", status);
  }
  throw invalid(`a success under the status ${status}`);
}

function envelope(body: Json): { code: string; message: string } | undefined {
  try {
    const error = members(members(body, ["error"]).get("error"), ["code", "message"]);
    const code = text(error.get("code"));
    return CALLING.includes(code) || FETCHING.includes(code) ? { code, message: text(error.get("message")) } : undefined;
  } catch {
    return undefined;
  }
}

async function observed<T>(
  world: World, route: string, body: string, patience: Patience, codes: readonly string[], success: (body: Json) => T,
): Promise<T> {
  try {
    return judged(await send(world, route, body, patience, true), codes, success);
  } catch (cause) {
    if (cause instanceof Failure) throw new ObservationFailed(cause.message, { status: cause.status, code: cause.code });
    if (cause instanceof NoAnswer) throw new ObservationFailed(cause.message, { cause: cause.cause });
    throw cause;
  }
}

interface Success {
  readonly result: Json;
  readonly after: string | undefined;
  readonly rounded: ReadonlySet<number> | undefined;
}

async function called(world: World, body: string, patience: Patience, read: boolean): Promise<Success> {
  const key = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  try {
    return judged(await send(world, "v1/call_operation", body, patience, read, key), CALLING, (body) => {
      const found = members(body, ["result"], ["validator"]);
      return { result: found.get("result") as Json, after: validatorIn(found), rounded: ROUNDED.get(body as object) };
    });
  } catch (cause) {
    if (cause instanceof NoAnswer) {
      if (cause.fate === "unsent") throw new NotSent(`nothing was sent: ${cause.message}`, { cause: cause.cause });
      throw new OutcomeUnknown(`the call may have run: ${cause.message}`, { cause: cause.cause });
    }
    if (!(cause instanceof Failure)) throw cause;
    const { kind, status, code, message } = cause;
    if (code === "operation_outcome_unknown" || kind === "invalid" || (kind === "http" && !BEFORE.includes(status))) {
      throw new OutcomeUnknown(`the call may have run: ${message}`);
    }
    const refused = code === "validator_mismatch" ? StateChanged : Refused;
    throw new refused(message, status, code);
  }
}

function readObject(path: string, of: Json | undefined): Seen {
  const found = members(of, ["name", "interfaces"], ["description", "ref", "validator"]);
  const name = text(found.get("name"));
  if (name !== path.slice(path.lastIndexOf("/") + 1)) throw new Misfit("the Object is of another name");
  const interfaces = list(found.get("interfaces")).map((item): Reference => {
    const reference = members(item, ["scope", "name"]);
    const [scope, name] = [text(reference.get("scope")), text(reference.get("name"))];
    if (name === "" || !isPath(scope) || !(scope === "/" || `${path}/`.startsWith(`${scope}/`))) {
      throw new Misfit("an interface has no name, or its scope is no entry above");
    }
    return { scope, name };
  });
  if (new Set(interfaces.map((reference) => JSON.stringify(reference))).size !== interfaces.length) {
    throw new Misfit("an interface is published twice");
  }
  if (found.has("ref")) text(found.get("ref"));
  const description = found.has("description") ? text(found.get("description")) : undefined;
  return { name, description, interfaces, validator: validatorIn(found) };
}

/** The members of a JSON object: all that are required, and no others but the optional ones, or but any. */
function members(of: Json | undefined, required: readonly string[], optional: readonly string[] | "others" = []): Map<string, Json> {
  if (typeof of !== "object" || of === null || Array.isArray(of)) throw new Misfit("an object is missing");
  const found = new Map<string, Json>(Object.entries(of));
  const missing = required.find((name) => !found.has(name));
  if (missing !== undefined) throw new Misfit(`${shown(missing)} is missing`);
  const unknown = [...found.keys()].find((name) => optional !== "others" && ![...required, ...optional].includes(name));
  if (unknown !== undefined) throw new Misfit(`${shown(unknown)} is no member here`);
  return found;
}

function text(of: Json | undefined): string {
  if (typeof of !== "string") throw new Misfit("a string is missing");
  return of;
}

function list(of: Json | undefined): readonly Json[] {
  if (!Array.isArray(of)) throw new Misfit("a list is missing");
  return of;
}

function validatorIn(found: Map<string, Json>): string | undefined {
  if (!found.has("validator")) return undefined;
  bytesOf(text(found.get("validator")));
  return text(found.get("validator"));
}

/** Of answers with integers that no number of this language is: what they became. A `number` may be rounded, `json` not. */
const ROUNDED = new WeakMap<object, Set<number>>();

/** One JSON text, under the rules of the protocol that JSON.parse does not know. */
function strictJson(json: string): Json {
  const parsed: Json = JSON.parse(json);
  const open: Set<string>[] = [];
  const rounded = new Set<number>();
  for (const [token] of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(?:\s*:)?|-?\d[\d.eE+-]*|[{}[\]]/g)) {
    if (token === "{" || token === "[") {
      if (open.push(new Set()) > DEEPEST) throw new Misfit(`it is nested deeper than ${DEEPEST}`);
    } else if (token === "}" || token === "]") {
      open.pop();
    } else if (token.startsWith('"')) {
      const string: string = JSON.parse(token.replace(/\s*:$/, ""));
      if (SURROGATE.test(string)) throw new Misfit("a string holds half of a character");
      const names = token.endsWith(":") ? open.at(-1) : undefined;
      if (names?.has(string) === true) throw new Misfit(`the member ${shown(string)} stands there twice`);
      names?.add(string);
    } else {
      const number = Number(token);
      if (!Number.isFinite(number)) throw new Misfit(`the number ${token.slice(0, 40)} cannot be held`);
      const exact = /[.eE]/.test(token) || Number.isSafeInteger(number) || BigInt(token) === BigInt(number);
      if (!exact) rounded.add(number);
    }
  }
  if (rounded.size > 0 && typeof parsed === "object" && parsed !== null) ROUNDED.set(parsed, rounded);
  return parsed;
}

// ---- values

const DEEPEST = 256;
const SURROGATE = /\p{Surrogate}/u;

interface Reading {
  readonly world: World;
  /** Whether fields that nobody declared are refused. */
  readonly whole: boolean;
  readonly rounded: ReadonlySet<number> | undefined;
}

/** A value out of an answer. */
function taken(value: Json | undefined, shape: Shape, reading: Reading, at: string): unknown {
  const no = (what: string) => new Misfit(`${at} is no ${what}`);
  if (typeof shape === "object") {
    if ("list" in shape) {
      if (!Array.isArray(value)) throw no("list");
      return value.map((item: Json, index) => taken(item, shape.list, reading, `${at}[${index}]`));
    }
    if ("enum" in shape) {
      if (typeof value === "string" && shape.enum.includes(value)) return value;
      throw new Misfit(`${at} is none of the cases that are known here: ${shown(value)}`);
    }
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw no("record");
    const given = new Map<string, Json>(Object.entries(value));
    if ("record" in shape) {
      const out: [string, unknown][] = [];
      for (const [name, of, optional] of shape.record) {
        if (given.has(name)) out.push([name, taken(given.get(name), of, reading, `${at}.${name}`)]);
        else if (optional === undefined) throw new Misfit(`${at} lacks ${shown(name)}`);
        given.delete(name);
      }
      for (const name of reading.whole ? given.keys() : []) throw new Misfit(`${at} has ${shown(name)}, which is not declared`);
      // Unlike an assignment, this takes `__proto__` for a name like any other.
      return Object.fromEntries(out);
    }
    const name = given.get("$case");
    const found = shape.union.find(([one]) => one === name);
    if (found === undefined) throw new Misfit(`${at} is none of the cases that are known here: ${shown(name)}`);
    if (given.size !== found.length) throw new Misfit(`${at} does not carry what its case does`);
    return found[1] === undefined ? { $case: name } : { $case: name, value: taken(given.get("value"), found[1], reading, at) };
  }
  switch (shape) {
    case "unit":
      if (value === null) return value;
      break;
    case "boolean": case "string": case "number":
      if (typeof value === shape) return value;
      break;
    case "integer":
      if (Number.isSafeInteger(value)) return Number(value) + 0;
      break;
    case "bytes":
      if (typeof value === "string") return bytesOf(value);
      break;
    case "json":
      if (value === undefined) break;
      if (holds(value, reading.rounded)) throw new Misfit(`${at} holds an integer that would be rounded`);
      return value;
    case "entry":
      if (typeof value === "string" && isPath(value)) return new Entry(reading.world, value);
  }
  throw no(shape);
}

function holds(value: Json, numbers: ReadonlySet<number> | undefined): boolean {
  if (numbers === undefined) return false;
  if (typeof value === "object" && value !== null) return Object.values(value).some((inner: Json) => holds(inner, numbers));
  return typeof value === "number" && numbers.has(value);
}

/** A value as the JSON text of an argument. */
function written(shape: Shape, value: unknown, world: World, at: string): string {
  const no = (what: string) => new BadArgument(`nothing was sent: ${at} must be ${what}`);
  if (typeof shape === "object") {
    if ("list" in shape) {
      if (!Array.isArray(value)) throw no("a list");
      return `[${Array.from(value, (item, index) => written(shape.list, item, world, `${at}[${index}]`)).join()}]`;
    }
    if ("enum" in shape) {
      if (typeof value === "string" && shape.enum.includes(value)) return JSON.stringify(value);
      throw no(`one of ${shape.enum.map((name) => shown(name)).join(", ")}`);
    }
    if (typeof value !== "object" || value === null) throw no("an object");
    // What is undefined is absent, as everywhere in this language.
    const given = new Map<string, unknown>(Object.entries(value).filter(([, value]) => value !== undefined));
    let fields: Fields;
    if ("record" in shape) {
      fields = shape.record;
    } else {
      const found = shape.union.find(([name]) => name === given.get("$case"));
      if (found === undefined) throw no(`an object whose $case is one of ${shape.union.map(([name]) => shown(name)).join(", ")}`);
      fields = [["$case", "string"], ...(found[1] === undefined ? [] : [["value", found[1]] as const])];
    }
    const out: string[] = [];
    for (const [name, of, optional] of fields) {
      if (given.has(name)) out.push(`${JSON.stringify(name)}:${written(of, given.get(name), world, `${at}.${name}`)}`);
      else if (optional === undefined) throw new BadArgument(`nothing was sent: ${shown(name)} is missing in ${at}`);
      given.delete(name);
    }
    for (const name of given.keys()) throw new BadArgument(`nothing was sent: ${shown(name)} is unknown in ${at}`);
    return `{${out.join()}}`;
  }
  switch (shape) {
    case "unit":
      if (value === null) return "null";
      throw no("null");
    case "boolean":
      if (typeof value === "boolean") return String(value);
      throw no("true or false");
    case "integer":
      if (Number.isSafeInteger(value)) return String(value);
      throw no("an integer within ±(2^53−1)");
    case "number":
      if (typeof value === "number" && Number.isFinite(value)) return numberText(value);
      throw no("a finite number");
    case "string":
      if (typeof value === "string" && !SURROGATE.test(value)) return JSON.stringify(value);
      throw no("a string of whole characters");
    case "bytes":
      if (value instanceof Uint8Array) return `"${btoa(Array.from(value, (byte) => String.fromCharCode(byte)).join(""))}"`;
      throw no("a Uint8Array");
    case "json":
      return jsonText(value, at, 0);
    case "entry":
      if (value instanceof Entry && worldOf(value).url === world.url) return JSON.stringify(value.path);
      throw no("an Entry of the same World");
  }
}

function jsonText(value: unknown, at: string, depth: number): string {
  const no = (what: string) => new BadArgument(`nothing was sent: ${at} ${what}`);
  if (depth > DEEPEST) throw no("is nested too deep, or holds itself");
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string" && !SURROGATE.test(value)) return JSON.stringify(value);
  if (typeof value === "number" && Number.isFinite(value)) return numberText(value);
  if (Array.isArray(value)) return `[${Array.from(value, (item) => jsonText(item, at, depth + 1)).join()}]`;
  if (typeof value !== "object") throw no("holds what is no JSON");
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) throw no("holds an instance of a class");
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${jsonText(name, at, 0)}:${jsonText(member, at, depth + 1)}`).join()}}`;
}

/** Integers beyond ±(2^53−1) are spelled as the fractions that JSON makes of them, and −0 keeps its sign. */
function numberText(value: number): string {
  const text = Object.is(value, -0) ? "-0" : String(value);
  return /[.e]/.test(text) || (Number.isSafeInteger(value) && text !== "-0") ? text : `${text}.0`;
}

function bytesOf(base64: string): Uint8Array {
  try {
    const binary = atob(base64);
    // What is read leniently is written in one way only.
    if (btoa(binary) === base64) return Uint8Array.from(binary, (char) => char.charCodeAt(0));
  } catch {
    // Told below.
  }
  throw new Misfit("bytes are not in canonical base64");
}

function isPath(path: string): boolean {
  const good = (segment: string) => segment !== "" && segment !== "." && segment !== "..";
  return path === "/" || (path.startsWith("/") && path.slice(1).split("/").every(good) && !SURROGATE.test(path));
}

// ---- odds and ends

function parsedUrl(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw new BadArgument("the base URL is no absolute URL");
  }
}

function checkedTimeout(milliseconds: number): number {
  // Timers hold 31 bits; what is larger would be over at once.
  if (milliseconds > 0 && milliseconds < 2 ** 31) return milliseconds;
  throw new BadArgument("a timeout is a number of milliseconds above 0 and below 2^31");
}

/**
 * Whether the platform says that it never had a connection. Node does, in the cause; a browser tells nothing. What the
 * system says of a connection (a host that cannot be reached) it may say of one that was there, so the call counts too.
 */
function neverConnected(error: unknown): boolean {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  if (typeof cause !== "object" || cause === null || !("code" in cause)) return false;
  const code = String(cause.code);
  const call = "syscall" in cause ? String(cause.syscall) : "";
  if (call === "connect" || call === "getaddrinfo") return true;
  return /^(UND_ERR_CONNECT_TIMEOUT|ERR_TLS_CERT_\w+|CERT_\w+|UNABLE_TO_\w+|\w*SELF_SIGNED_CERT\w*)$/.test(code);
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What came from elsewhere, quoted, clipped, and without what would disturb a line around it. */
function shown(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? "nothing";
  return escaped(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}

function escaped(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16) ?? ""}}`);
}
