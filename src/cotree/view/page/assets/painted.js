// Things of several colours and opacities: the parts of a body, grouped by how they are painted.

/** [{color ("#rrggbb" or null), opacity, buffer, edges}] of parts. */
function paintedGroups(gl, parts, sides) {
  const groups = new Map();
  for (const part of parts) {
    const key = `${part.color ?? ""} ${part.opacity ?? 1}`;
    groups.set(key, [...(groups.get(key) ?? []), part]);
  }
  return [...groups.values()].map((own) => {
    const triangles = new Triangles(sides).addAll(own);
    return {
      color: own[0].color ? rgb(own[0].color) : null,
      opacity: own[0].opacity ?? 1,
      reach: triangles.reach,
      buffer: new Buffer(gl, [triangles.positions, triangles.normals], gl.TRIANGLES),
      edges: new Buffer(gl, [triangles.edges], gl.LINES),
    };
  });
}
