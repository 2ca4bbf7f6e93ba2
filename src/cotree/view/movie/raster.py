"""Triangles and lines into pixels, with a depth for each pixel. Depths are nearness 1/w, which is linear on the screen."""

from __future__ import annotations

from cotree.engine.kernel import kernel


@kernel
def fill(points, colours, alphas, depth, image):
    """points (m, 3, 3): x, y [pixels] and nearness of the corners; colours (m, 3, 3) of the corners; alphas (m,). Solid ones
    are written into depth (h, w); image (h, w, 3)."""
    height, width = depth.shape
    for k in range(points.shape[0]):
        ax, ay, an = points[k, 0, 0], points[k, 0, 1], points[k, 0, 2]
        bx, by, bn = points[k, 1, 0], points[k, 1, 1], points[k, 1, 2]
        cx, cy, cn = points[k, 2, 0], points[k, 2, 1], points[k, 2, 2]
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if area == 0.0 or an <= 0.0 or bn <= 0.0 or cn <= 0.0:  # seen edge-on, or behind the eye
            continue
        left, right = max(0, int(min(ax, bx, cx))), min(width - 1, int(max(ax, bx, cx)) + 1)
        top, bottom = max(0, int(min(ay, by, cy))), min(height - 1, int(max(ay, by, cy)) + 1)
        alpha = alphas[k]
        for i in range(top, bottom + 1):
            y = i + 0.5
            for j in range(left, right + 1):
                x = j + 0.5
                u = ((bx - x) * (cy - y) - (by - y) * (cx - x)) / area
                v = ((cx - x) * (ay - y) - (cy - y) * (ax - x)) / area
                w = 1.0 - u - v
                if u < 0.0 or v < 0.0 or w < 0.0:
                    continue
                near = u * an + v * bn + w * cn
                if near <= depth[i, j]:
                    continue
                for c in range(3):
                    own = u * colours[k, 0, c] + v * colours[k, 1, c] + w * colours[k, 2, c]
                    image[i, j, c] = alpha * own + (1.0 - alpha) * image[i, j, c]
                if alpha == 1.0:
                    depth[i, j] = near


@kernel
def cover(points, mask):
    """Set the pixels of mask (h, w) that the triangles cover."""
    height, width = mask.shape
    for k in range(points.shape[0]):
        ax, ay, bx, by = points[k, 0, 0], points[k, 0, 1], points[k, 1, 0], points[k, 1, 1]
        cx, cy = points[k, 2, 0], points[k, 2, 1]
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if area == 0.0 or points[k, 0, 2] <= 0.0 or points[k, 1, 2] <= 0.0 or points[k, 2, 2] <= 0.0:
            continue
        left, right = max(0, int(min(ax, bx, cx))), min(width - 1, int(max(ax, bx, cx)) + 1)
        top, bottom = max(0, int(min(ay, by, cy))), min(height - 1, int(max(ay, by, cy)) + 1)
        for i in range(top, bottom + 1):
            y = i + 0.5
            for j in range(left, right + 1):
                x = j + 0.5
                u = ((bx - x) * (cy - y) - (by - y) * (cx - x)) / area
                v = ((cx - x) * (ay - y) - (cy - y) * (ax - x)) / area
                if u >= 0.0 and v >= 0.0 and u + v <= 1.0:
                    mask[i, j] = True


@kernel
def stroke(points, colours, alphas, wide, depth, image):
    """Lines: points (m, 2, 3), colours (m, 3), alphas (m,); 2 wide + 1 pixels wide, hidden by what is nearer."""
    height, width = depth.shape
    for k in range(points.shape[0]):
        if points[k, 0, 2] <= 0.0 or points[k, 1, 2] <= 0.0:
            continue
        dx, dy = points[k, 1, 0] - points[k, 0, 0], points[k, 1, 1] - points[k, 0, 1]
        n = int(max(abs(dx), abs(dy))) + 1
        if n > 20 * (height + width):  # far beyond the picture
            continue
        flat = abs(dx) >= abs(dy)
        for step in range(n + 1):
            s = step / n
            x, y = points[k, 0, 0] + s * dx, points[k, 0, 1] + s * dy
            near = points[k, 0, 2] + s * (points[k, 1, 2] - points[k, 0, 2])
            for side in range(-wide, wide + 1):
                j, i = int(x), int(y)
                if flat:
                    i += side
                else:
                    j += side
                if x < 0.0 or y < 0.0 or i < 0 or j < 0 or i >= height or j >= width or near <= 0.999 * depth[i, j]:
                    continue
                for c in range(3):
                    image[i, j, c] = alphas[k] * colours[k, c] + (1.0 - alphas[k]) * image[i, j, c]
