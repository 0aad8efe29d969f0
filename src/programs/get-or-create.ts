/** The value that a map keeps under a key, made and kept when it is asked for the first time. */
export function getOrCreate<Key, Value>(map: Map<Key, Value>, key: Key, create: (key: Key) => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create(key);
  map.set(key, created);
  return created;
}
