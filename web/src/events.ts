// A typed list of listeners.

export class Events<Map extends object> {
  private readonly listeners = new globalThis.Map<keyof Map, Set<(value: never) => void>>();

  on<Key extends keyof Map>(key: Key, listener: (value: Map[Key]) => void): void {
    const set = this.listeners.get(key) ?? new Set();
    set.add(listener as (value: never) => void);
    this.listeners.set(key, set);
  }

  emit<Key extends keyof Map>(key: Key, value: Map[Key]): void {
    for (const listener of this.listeners.get(key) ?? []) (listener as (value: Map[Key]) => void)(value);
  }
}
